#include "learners/linear.hpp"

#include "kernels/kernels.hpp"

namespace onlineboost {

void LinearBank::appear(std::uint64_t feature) {
    for (Table* table : tables_) table->append();
    start(feature, u_.row(u_.rows() - 1));
    begin(feature);
}

// values: intercept, known features, unknown ones. Unknown features have a row of u alone, and only where coordinates do not start at 0.
void LinearBank::gather(Scratch& scratch) const {
    normalise_.apply(scratch);
    auto& values = scratch.values;
    const std::size_t most = scratch.row.size() + offset_;  // met or not: meet gathers again, without allocating
    for (std::size_t t = 0; t < tables_.size(); ++t) {
        scratch.rows[t].clear();
        scratch.rows[t].reserve(most);
        if (offset_ == 1) scratch.rows[t].push_back(tables_[t]->row(0));
    }
    scratch.at.clear();
    scratch.at.reserve(most);
    if (offset_ == 1) scratch.at.push_back(0);
    std::size_t kept = offset_;
    scratch.unmet = 0;
    scratch.unmet2 = 0.0;
    std::vector<double>& late = scratch.late;
    late.clear();
    for (std::size_t k = 0; k < scratch.row.size(); ++k) {
        const double value = values[k + offset_];
        const std::int32_t slot = scratch.row.slots[k];
        if (slot == Features::kUnseen) {
            scratch.unmet2 += value * value;
            if (scratch.unmet == scratch.fresh.size()) scratch.fresh.emplace_back(layout.stride);
            if (!start(scratch.row.ids[k], scratch.fresh[scratch.unmet].data())) continue;
            ++scratch.unmet;
            late.push_back(value);
            continue;
        }
        const std::size_t at = static_cast<std::size_t>(slot) + offset_;
        for (std::size_t t = 0; t < tables_.size(); ++t) scratch.rows[t].push_back(tables_[t]->row(at));
        scratch.at.push_back(at);
        values[kept++] = value;
    }
    values.resize(kept);
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
    if (from == ids.size()) return;
    for (std::size_t slot = from; slot < ids.size(); ++slot) appear(ids[slot]);
    gather(scratch);
}

void LinearBank::score(Scratch& scratch) const {
    gather(scratch);
    const auto& rows = scratch.rows[0];
    // The kernel's own output, s times a scale, is not theirs: output() writes over it.
    kernels().linear_score(rows.data(), scratch.values.data(), rows.size(), scratch.s.data(), scratch.s.data(), scratch.h.data(), 0, layout.stride);
    output(scratch, scratch.h.data(), 0, layout.stride);
}

// The same kernels on learner i alone. scratch.h stays; the new output goes to scratch.after.
double LinearBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    if (times == 0 || !(w > 0.0)) return scratch.h[i];
    scratch.scaled[i] = w;
    for (unsigned t = 0; t < times; ++t) {
        learn(scratch, y, scratch.scaled.data(), i, i + 1);
        double sum = 0.0;
        for (std::size_t k = 0; k < scratch.values.size(); ++k) sum += scratch.rows[0][k][i] * scratch.values[k];
        scratch.s[i] = sum;
        output(scratch, scratch.after.data(), i, i + 1);
    }
    return scratch.after[i];
}

}  // namespace onlineboost
