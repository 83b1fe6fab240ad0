#include "tests/support/golden_file.h"

#include <cstring>

#include "deepinfer/error.h"

namespace deepinfer {

const StoredTensor& GoldenFile::tensor(const std::string& name) const {
  const StoredTensor* found = file_.find(name);
  if (found == nullptr) throw Error::bad_input(file_.path(), "has no golden '" + name + "'");
  return *found;
}

template <typename T>
std::vector<T> GoldenFile::copy(const std::string& name, DType dtype) const {
  const StoredTensor& stored = tensor(name);
  if (stored.dtype != dtype)
    throw Error::bad_input(file_.path(), "golden '" + name + "' has another type",
                           {.expected = std::string(name_of(dtype)),
                            .got = std::string(name_of(stored.dtype)),
                            .hint = {}});
  std::vector<T> values(stored.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), stored.data.data(), stored.data.size());
  return values;
}

std::vector<float> GoldenFile::f32(const std::string& name) const {
  return copy<float>(name, DType::f32);
}
std::vector<std::int32_t> GoldenFile::i32(const std::string& name) const {
  return copy<std::int32_t>(name, DType::i32);
}
std::vector<std::int64_t> GoldenFile::i64(const std::string& name) const {
  return copy<std::int64_t>(name, DType::i64);
}
std::vector<std::uint8_t> GoldenFile::u8(const std::string& name) const {
  return copy<std::uint8_t>(name, DType::u8);
}

Shape GoldenFile::shape(const std::string& name) const {
  const std::vector<std::int64_t>& extents = tensor(name).shape;
  switch (extents.size()) {
    case 1:
      return {extents[0]};
    case 2:
      return {extents[0], extents[1]};
    case 3:
      return {extents[0], extents[1], extents[2]};
    default:
      throw Error::bad_input(file_.path(), "golden '" + name + "' has an unexpected rank");
  }
}

}  // namespace deepinfer
