// What follows a changing stream, as Python sees it by itself.
#pragma once
#include <nanobind/nanobind.h>

namespace onlineboost {

void bind_drift(nanobind::module_& m);

}  // namespace onlineboost
