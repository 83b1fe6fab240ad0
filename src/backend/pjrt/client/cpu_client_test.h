#pragma once

// A client of the CPU plug-in for tests, and tensors from and to vectors.

#include <cstring>
#include <memory>
#include <vector>

#include "backend/pjrt/client/client.h"

namespace deepinfer::pjrt::test {

/// One device on one thread, shared by the tests of a program: results are the same every time.
/// Null where `make pjrt` was not run.
std::shared_ptr<const Client> cpu_client();

template <typename T>
Buffer upload(const Client& client, const NamedType& type, const std::vector<T>& values) {
  return client.upload(type, std::as_bytes(std::span(values)));
}

template <typename T>
std::vector<T> download(const Buffer& buffer) {
  std::vector<T> values(buffer.type().bytes() / sizeof(T));
  buffer.download(std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace deepinfer::pjrt::test
