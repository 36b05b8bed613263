#include "score/features/features.h"

#include <algorithm>

#include "base/error.h"
#include "score/features/cmr_embedder.h"
#include "score/features/rival_embedder.h"

namespace cmr::score {
namespace {

template <typename Visit>
void for_each_matrix(Features& features, const Visit& visit) {
    for (Matrix Features::*member :
         {&Features::causes, &Features::effects, &Features::cause_mean, &Features::cause_std, &Features::mean,
          &Features::std, &Features::max, &Features::cause_encoded, &Features::residual_mean,
          &Features::residual_square, &Features::native, &Features::native_parts})
        visit(member, features.*member);
}

}  // namespace

Features Features::chosen(const std::vector<int64_t>& rows) const {
    Features out;
    for_each_matrix(out, [&](Matrix Features::*member, Matrix& to) {
        const Matrix& from = this->*member;
        if (from.columns == 0) return;
        to = Matrix(std::ssize(rows), from.columns);
        for (size_t i = 0; i < rows.size(); ++i) std::ranges::copy(from.row(rows[i]), to.row(i).begin());
    });
    return out;
}

void Features::append(const Features& more) {
    for_each_matrix(*this, [&](Matrix Features::*member, Matrix& to) {
        const Matrix& from = more.*member;
        if (to.rows == 0) {
            to = from;
            return;
        }
        CMR_ASSERT(to.columns == from.columns, "features of one kind");
        to.values.insert(to.values.end(), from.values.begin(), from.values.end());
        to.rows += from.rows;
    });
}

std::unique_ptr<Embedder> make_embedder(const model::Model& model, const model::Inputs& inputs, EmbedOptions extras) {
    if (model::find_rival(model.config.method)) return std::make_unique<RivalEmbedder>(model, inputs);
    return std::make_unique<CmrEmbedder>(model, inputs, extras);
}

}  // namespace cmr::score
