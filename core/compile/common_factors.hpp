// Products that have factors in common.
#pragma once

#include <cstdint>
#include <vector>

namespace learnac {

using Products = std::vector<std::vector<std::uint32_t>>;  // the factors of each, sorted

// Gives pairs of factors that several products have in common a product of their own, those of most products first.
// New products are appended; the number of the i-th product as a factor is `first_number + i`. Cost: with e factors of
// products with at most k each, about e * k steps.
void share_common_factors(Products& products, std::uint32_t first_number);

}  // namespace learnac
