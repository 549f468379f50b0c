// The Python module: the only files that know of Python are in this folder.
#include "bind/parts.hpp"
#include "node_kind.hpp"

using namespace learnac;

NB_MODULE(_core, m) {
  m.attr("COMPILER") = LEARNAC_COMPILER;
  m.attr("INDICATOR") = static_cast<int>(NodeKind::indicator);
  m.attr("PARAMETER") = static_cast<int>(NodeKind::parameter);
  m.attr("SUM") = static_cast<int>(NodeKind::sum);
  m.attr("PRODUCT") = static_cast<int>(NodeKind::product);
  bind_counting(m);
  bind_learning(m);
  bind_inference(m);
  bind_mixing(m);
  bind_compiling(m);
}
