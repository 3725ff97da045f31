// LIBSVM's text format: `label index:value index:value … # comment`.
#pragma once
#include "text/reader.hpp"

namespace onlineboost::text {

// An index is the number of a column as it stands, from 0 to 2^31 - 1, and must increase along a line. `qid:…` behind
// the label is passed over.
class LibsvmReader final : public Reader {
   public:
    LibsvmReader(Labels labels, Limits limits) : Reader(labels, limits) { named = false; }

   protected:
    void line(std::string_view text) override;

   private:
    bool fill(std::string_view text, std::int32_t& label);
};

}  // namespace onlineboost::text
