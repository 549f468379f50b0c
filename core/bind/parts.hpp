// The parts of the Python module, a file each.
#pragma once

#include <nanobind/nanobind.h>

namespace learnac {

void bind_counting(nanobind::module_& m);
void bind_learning(nanobind::module_& m);
void bind_inference(nanobind::module_& m);
void bind_mixing(nanobind::module_& m);
void bind_compiling(nanobind::module_& m);

}  // namespace learnac
