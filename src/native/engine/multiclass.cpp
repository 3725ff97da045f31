#include "engine/multiclass.hpp"

#include <algorithm>

#include "engine/lookup.hpp"
#include "engine/slice.hpp"

namespace onlineboost {

namespace {
constexpr const char* kOrder = "classes must be numbered in the order of their first example";
constexpr std::uint64_t kMostClasses = 1u << 20;
}  // namespace

Multiclass::Multiclass(MulticlassEnsemble ensemble)
    : ensemble_(std::move(ensemble)), scratch_(ensemble_.make_scratch()) {
    scratch_->row = &row_;
}

void Multiclass::tell(const std::vector<double>& f, MulticlassEnsemble::Placed& placed, std::size_t row,
                      const Report& report) const {
    double *decisions = report.decisions + row * report.columns, *p = report.probabilities + row * report.columns;
    ensemble_.booster().decide(f, decisions);
    std::fill(decisions + f.size(), decisions + report.columns, kNotBegun);
    ensemble_.probabilities(f, placed, p);
    std::fill(p + f.size(), p + report.columns, 0.0);
}

void Multiclass::predict(const Source& source, const Report& report) const {
    const std::shared_lock lock(mutex_);
    if (report.columns != begun_) throw std::invalid_argument("there is another number of classes by now");
    predict_rows(source, report);
}

void Multiclass::predict(const Source& source, std::vector<double>& decisions,
                         std::vector<double>& probabilities) const {
    const std::shared_lock lock(mutex_);
    decisions.resize(source.rows() * begun_);
    probabilities.resize(decisions.size());
    predict_rows(source, {begun_, decisions.data(), probabilities.data()});
}

void Multiclass::predict_rows(const Source& source, const Report& report) const {
    Row row;
    const auto scratch = ensemble_.make_scratch();
    scratch->row = &row;
    scratch->threads = threads();
    std::vector<double> f;
    MulticlassEnsemble::Placed placed;
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, row);
        missing_.fill(row);
        find_slots(features_, row);
        ensemble_.vote(*scratch, f);
        tell(f, placed, r, report);
    }
}

void Multiclass::check_labels(const Source& source, const std::int64_t* labels, const double* s) const {
    auto next = static_cast<std::int64_t>(begun_);
    for (std::size_t r = 0; r < source.rows(); ++r) {
        if (s && !(s[r] >= kNegligible)) continue;
        if (labels[r] < 0 || labels[r] > next) throw std::invalid_argument(kOrder);
        if (labels[r] == next) ++next;
    }
}

// Room is made first; nothing that follows can run out of memory, and so nothing is left half done.
void Multiclass::learn_row(std::size_t label, double weight) {
    const std::size_t met = features_.ids().size();
    missing_.make_room(row_);
    list_fresh(row_, fresh_);
    features_.make_room(fresh_);
    summary_.make_room(met + fresh_.size());
    p_.resize(f_.size());
    ensemble_.probabilities(f_, placed_, p_.data());
    const double p = label < p_.size() ? p_[label] : 0.0;
    ensemble_.make_room(*scratch_, fresh_, label, f_, placed_);
    add_slots(features_, row_);
    ensemble_.meet(*scratch_, features_.ids(), met);
    missing_.learn(row_);
    ensemble_.learn(*scratch_, f_, placed_, weight);
    const MulticlassBooster& booster = ensemble_.booster();
    summary_.learn(row_, p, booster.counted(weight), booster.rounds);
    begun_ = f_.size();
}

std::size_t Multiclass::learn(const Source& source, const std::int64_t* labels, const double* s, const Report& report,
                              std::size_t start) {
    const std::unique_lock lock(mutex_);
    if (start == 0) {
        check_labels(source, labels, s);
        check_room(ensemble_.bank(), features_, missing_, source, s, row_);
    }
    scratch_->threads = threads();
    Slice slice(source.rows() - start);
    std::size_t r = start;
    for (; r < source.rows(); ++r) {
        if (slice.over()) break;
        const double weight = s ? s[r] : 1.0;  // read once, as the label is: another thread may write there
        const std::int64_t label = labels[r];
        if (s) recheck_weight(weight);
        source.read(r, row_);
        missing_.fill(row_);
        find_slots(features_, row_);
        ensemble_.vote(*scratch_, f_);
        if (report.decisions) {
            if (f_.size() > report.columns) throw std::invalid_argument(kOrder);
            tell(f_, placed_, r, report);
        }
        if (!(weight >= kNegligible)) continue;
        if (label < 0 || static_cast<std::size_t>(label) > begun_) throw std::invalid_argument(kOrder);
        learn_row(static_cast<std::size_t>(label), weight);
    }
    return r;
}

void Multiclass::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    std::uint64_t classes = begun_;
    archive.counter("classes", classes);
    Archive::check(classes >= 2 && classes <= kMostClasses, "classes");
    serialise_features(archive, features_);
    ensemble_.serialise(archive, features_.ids(), static_cast<std::size_t>(classes));
    missing_.serialise(archive);
    summary_.serialise(archive, features_.ids().size());
    begun_ = static_cast<std::size_t>(classes);
}

void Multiclass::adopt(Archive& archive) {
    const std::unique_lock lock(mutex_);
    serialise_features(archive, features_);
    ensemble_.adopt(archive, features_.ids());
    missing_.serialise(archive);
    summary_.serialise(archive, features_.ids().size());
    begun_ = 2;
}

void Multiclass::save_summary(Archive& archive) {
    const std::unique_lock lock(mutex_);
    serialise_features(archive, features_);
    summary_.serialise(archive, features_.ids().size());
}

void Multiclass::save_booster(Archive& archive) {
    const std::unique_lock lock(mutex_);
    ensemble_.serialise_booster(archive, begun_);
}

std::size_t Multiclass::count() const {
    const std::shared_lock lock(mutex_);
    return begun_;
}

std::uint64_t Multiclass::rounds() const {
    const std::shared_lock lock(mutex_);
    return ensemble_.booster().rounds;
}

std::size_t Multiclass::features() const {
    const std::shared_lock lock(mutex_);
    return features_.ids().size();
}

}  // namespace onlineboost
