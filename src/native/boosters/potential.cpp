#include "boosters/potential.hpp"

#include <algorithm>

namespace onlineboost {

namespace {
constexpr std::size_t kMostKept = std::size_t{1} << 18;
}

// P(r leads alone) = n! sum_m p^m/m! [z^(n-m)] prod_l sum_{x < lead_l + m} (q z)^x/x!: r gets m votes, and rival l
// fewer than would catch up.
double Potential::value(std::size_t n, std::vector<int> leads) const {
    const auto votes = static_cast<int>(n);
    const double q = (1.0 - gamma_) / static_cast<double>(leads.size() + 1), p = q + gamma_;
    std::sort(leads.begin(), leads.end());
    if (leads.front() + votes <= 0) return 1.0;
    std::vector<double> term(n + 1, 1.0), poly(n + 1), next(n + 1);  // term[x] = q^x/x!
    for (std::size_t x = 1; x <= n; ++x) term[x] = term[x - 1] * q / static_cast<double>(x);
    double leading = 0.0, own = 1.0;  // own = n! p^m/m!
    for (std::size_t x = 2; x <= n; ++x) own *= static_cast<double>(x);
    for (int m = 0; m <= votes; own *= p / static_cast<double>(++m)) {
        if (leads.front() + m <= 0) continue;
        const auto rest = static_cast<std::size_t>(votes - m);
        const auto bound = [&](int lead) {
            return static_cast<std::size_t>(lead + m);
        };  // a rival has fewer votes than this
        const auto held = static_cast<std::size_t>(
            std::find_if(leads.begin(), leads.end(), [&](int lead) { return bound(lead) > rest; }) - leads.begin());
        const double free = q * static_cast<double>(leads.size() - held);  // rivals that cannot catch up any more
        poly[0] = 1.0;
        for (std::size_t x = 1; x <= rest; ++x) poly[x] = poly[x - 1] * free / static_cast<double>(x);
        for (std::size_t l = 0; l < held; ++l) {
            for (std::size_t x = 0; x <= rest; ++x) {
                double sum = 0.0;
                for (std::size_t v = 0; v <= x && v < bound(leads[l]); ++v) sum += term[v] * poly[x - v];
                next[x] = sum;
            }
            poly.swap(next);
        }
        leading += own * poly[rest];
    }
    return std::clamp(1.0 - leading, 0.0, 1.0);
}

double Potential::difference(std::size_t n, const std::vector<int>& leads) const {
    std::vector<int> changed(leads);
    for (int& lead : changed) ++lead;
    const double right = value(n, changed);
    double sum = 0.0, wrong = 0.0;
    for (std::size_t l = 0; l < leads.size(); ++l) {
        if (l == 0 || leads[l] != leads[l - 1]) {  // sorted: rivals that are level have one potential
            changed = leads;
            --changed[l];
            wrong = value(n, changed);
        }
        sum += wrong - right;
    }
    return std::max(sum, 0.0);
}

double Potential::largest(std::size_t n, std::size_t rivals) {
    auto found =
        std::find_if(largest_.begin(), largest_.end(), [&](const auto& known) { return known.first == rivals; });
    if (found == largest_.end())
        found = largest_.insert(largest_.end(), {rivals, std::vector<double>(kMostVotes + 1, 0.0)});
    double most = found->second[n];
    if (most == 0.0)
        for (int lead = -static_cast<int>(n) - 1; lead <= static_cast<int>(n) + 1; ++lead)
            most = std::max(most, difference(n, std::vector<int>(rivals, lead)));
    return found->second[n] = most;
}

double Potential::weight(std::size_t n, std::vector<int> leads) {
    const int most = static_cast<int>(n) + 2;  // from here on a rival is out of the race, whatever this vote is
    for (int& lead : leads) lead = std::clamp(lead, -most, most);
    std::sort(leads.begin(), leads.end());
    std::string key{static_cast<char>(n)};
    for (const int lead : leads) key.push_back(static_cast<char>(lead));
    if (const auto known = weights_.find(key); known != weights_.end()) return known->second;
    if (weights_.size() >= kMostKept) weights_.clear();
    return weights_[key] = std::min(difference(n, leads) / largest(n, leads.size()), 1.0);
}

}  // namespace onlineboost
