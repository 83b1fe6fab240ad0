#include "backend/pjrt/client/fake_plugin_test.h"

#include <dlfcn.h>

namespace deepinfer::pjrt::test {
namespace {

template <typename Function>
Function symbol(const char* name) {
  void* library = dlopen(DEEPINFER_FAKE_PJRT_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error::failed(DEEPINFER_FAKE_PJRT_PLUGIN, dlerror());
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

fake::Control& fake_control() { return *symbol<fake::ControlFunction>("fake_pjrt_control")(); }

fake::Claim& fake_claim() { return *symbol<fake::ClaimFunction>("fake_pjrt_claim")(); }

void reset_fake() {
  fake_control() = {};
  fake_claim() = {};
}

testing::AssertionResult says(std::string_view text,
                              std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (text.find(part) == std::string_view::npos)
      return testing::AssertionFailure() << "no \"" << part << "\" in \"" << text << "\"";
  return testing::AssertionSuccess();
}

NamedType matrix(const std::string& name) {
  return {.name = name, .type = {.type = Element::f32, .dims = {2, 2}}};
}

std::shared_ptr<const Signature> copy_signature() {
  return std::make_shared<Signature>(
      Signature{.name = "copy", .parameters = {matrix("in")}, .results = {matrix("out")}});
}

}  // namespace deepinfer::pjrt::test
