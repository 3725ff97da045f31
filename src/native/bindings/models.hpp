// Models of two classes, of many and of label sets as Python sees them.
#pragma once
#include <nanobind/nanobind.h>

namespace onlineboost {

void bind_model(nanobind::module_& m);
void bind_classes(nanobind::module_& m);
void bind_multiclass(nanobind::module_& m);
void bind_keyed(nanobind::module_& m);
void bind_labels(nanobind::module_& m);

}  // namespace onlineboost
