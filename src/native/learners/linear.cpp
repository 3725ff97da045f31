#include "learners/linear.hpp"

#include "kernels/kernels.hpp"

namespace onlineboost {

void LinearBank::appear(std::uint64_t feature) {
    for (Table* table : tables_) table->append();
    start(feature, u_.row(u_.rows() - 1));
    begin(feature);
}

// values: intercept, known features, unknown ones. Unknown features have a row of u alone, and only where coordinates
// do not start at 0.
void LinearBank::gather(LinearScratch& scratch) const {
    const Row& row = *scratch.row;
    normalise_.apply(row, scratch);
    auto& values = scratch.values;
    const std::size_t most = row.size() + offset_;  // met or not: meet gathers again, without allocating
    for (std::size_t t = 0; t < tables_.size(); ++t) onlineboost::make_room(scratch.rows[t], most);
    scratch.at.resize(values.size());
    if (offset_ == 1) scratch.at[0] = 0;
    std::size_t kept = offset_;
    scratch.unmet = 0;
    scratch.unmet2 = 0.0;
    std::vector<double>& late = scratch.late;
    late.clear();
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double value = values[k + offset_];
        const std::int32_t slot = row.slots[k];
        if (slot == Features::kUnseen) {
            scratch.unmet2 += value * value;
            if (scratch.unmet == scratch.fresh.size()) scratch.fresh.emplace_back(layout.stride);
            if (!start(row.ids[k], scratch.fresh[scratch.unmet].data())) continue;
            ++scratch.unmet;
            late.push_back(value);
            continue;
        }
        scratch.at[kept] = static_cast<std::size_t>(slot) + offset_;
        values[kept++] = value;
    }
    values.resize(kept);
    scratch.at.resize(kept);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
        Table& table = *tables_[t];
        scratch.rows[t].resize(kept);
        double** rows = scratch.rows[t].data();
        for (std::size_t k = 0; k < kept; ++k) rows[k] = table.row(scratch.at[k]);
    }
    for (std::size_t k = 0; k < scratch.unmet; ++k) {
        scratch.rows[0].push_back(scratch.fresh[k].data());
        values.push_back(late[k]);
    }
}

void LinearBank::make_room(Scratch&, std::span<const FeatureId> fresh) {
    if (fresh.empty()) return;
    for (Table* table : tables_) table->make_room(table->rows() + fresh.size());
}

void LinearBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    if (from < ids.size()) {
        for (std::size_t slot = from; slot < ids.size(); ++slot) appear(ids[slot]);
        gather(own(scratch));
    }
    if (!scratch.rests) age(own(scratch));
}

void LinearBank::score(Scratch& shared) const {
    LinearScratch& scratch = own(shared);
    gather(scratch);
    const auto& rows = scratch.rows[0];
    // The kernel's own output, s times a scale, is not theirs: output() writes over it.
    kernels().linear_score(rows.data(), scratch.values.data(), rows.size(), scratch.s.data(), scratch.s.data(),
                           scratch.h.data(), 0, used_);
    output(scratch, scratch.h.data(), 0, used_);
}

// The same kernels on learner i alone. scratch.h stays; the new output goes to scratch.after.
double LinearBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    LinearScratch& scratch = own(shared);
    if (times == 0 || !(w > 0.0)) return scratch.h[i];
    scratch.weights[i] = w;
    for (unsigned t = 0; t < times; ++t) {
        learn(scratch, y, scratch.weights.data(), i, i + 1);
        double sum = 0.0;
        for (std::size_t k = 0; k < scratch.values.size(); ++k) sum += scratch.rows[0][k][i] * scratch.values[k];
        scratch.s[i] = sum;
        output(scratch, scratch.after.data(), i, i + 1);
    }
    return scratch.after[i];
}

}  // namespace onlineboost
