// A model of many classes as Python sees it.
#pragma once
#include <nanobind/nanobind.h>

namespace onlineboost {

void bind_classes(nanobind::module_& m);

}  // namespace onlineboost
