"""River's own checks of a classifier that apply to a model of another package."""

from __future__ import annotations

from river import checks

RIVER_CHECKS = {
    check.__name__: check
    for check in (
        checks.common.check_repr,
        checks.common.check_str,
        checks.common.check_doc,
        checks.common.check_init_default_params_are_not_mutable,
        checks.common.check_pickling_supports_roundtrip,
    )
}
RIVER_STREAM_CHECKS = {
    check.__name__: check
    for check in (
        checks.common.check_learn_one,
        checks.common.check_pickling,
        checks.common.check_predict_one_pure,
        checks.common.check_predict_one_before_any_learn,
        checks.common.check_no_state_aliasing_with_input,
        checks.common.check_emerging_features,
        checks.common.check_disappearing_features,
        checks.common.check_radically_disappearing_features,
        checks.clf.check_predict_proba_one,
        checks.clf.check_classifier_tracks_seen_labels,
    )
}
