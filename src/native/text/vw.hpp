// Vowpal Wabbit's text format for two labels: `[label [importance [base]]] ['tag]|namespace:scale name:value name …
// |…`.
#pragma once
#include "text/reader.hpp"

namespace onlineboost::text {

// A feature is called `namespace^name`, or `name` in the namespace without a name. A name that stands twice on a line
// counts twice. Bases other than 0 and labels of other tasks are malformed.
class VwReader final : public Reader {
   public:
    using Reader::Reader;

   protected:
    void line(std::string_view text) override;

   private:
    bool head(std::string_view text, std::string_view part, std::int32_t& label, double& weight);
    bool features(std::string_view text, std::string_view part);

    std::string name_;
};

}  // namespace onlineboost::text
