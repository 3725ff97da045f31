// What a model with a column per class or label reports.
#pragma once
#include <cstddef>

namespace onlineboost {

// Where a decision and a probability go for each row and each of `columns` columns, of which the first have begun;
// null: nowhere.
struct ColumnReport {
    std::size_t columns = 0;
    double* decisions = nullptr;
    double* probabilities = nullptr;
};

}  // namespace onlineboost
