#pragma once

#include <string_view>

#include "deepinfer/model_config.h"

namespace deepinfer {

constexpr std::string_view name_of(ScoringFunc scoring) {
  switch (scoring) {
    case ScoringFunc::sqrtsoftplus:
      return "sqrtsoftplus";
    case ScoringFunc::sigmoid:
      return "sigmoid";
    case ScoringFunc::softmax:
      return "softmax";
  }
  return "?";
}

}  // namespace deepinfer
