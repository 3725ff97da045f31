"""The boosters, one file each, as recipes; `base` is what they share."""

from onlineboost.boosters.ada_olmr import AdaOLMR as AdaOLMR
from onlineboost.boosters.adaboost_ol import AdaBoostOL as AdaBoostOL
from onlineboost.boosters.adaboost_olm import AdaBoostOLM as AdaBoostOLM
from onlineboost.boosters.base import Booster as Booster
from onlineboost.boosters.bayes_vote import BayesVote as BayesVote
from onlineboost.boosters.bbm import BBM as BBM
from onlineboost.boosters.bole import BOLE as BOLE
from onlineboost.boosters.defensive import Defensive as Defensive
from onlineboost.boosters.gradient_boost import GradientBoost as GradientBoost
from onlineboost.boosters.iboost import IBoost as IBoost
from onlineboost.boosters.mbbm import OnlineMBBM as OnlineMBBM
from onlineboost.boosters.mixture import Mixture as Mixture
from onlineboost.boosters.multilabel import MultiLabel as MultiLabel
from onlineboost.boosters.ogboost import OGBoost as OGBoost
from onlineboost.boosters.one_vs_rest import OneVsRest as OneVsRest
from onlineboost.boosters.online_bmr import OnlineBMR as OnlineBMR
from onlineboost.boosters.osboost import OSBoost as OSBoost
from onlineboost.boosters.ozaboost import OzaBoost as OzaBoost
from onlineboost.boosters.ozaboost_adwin import OzaBoostADWIN as OzaBoostADWIN
from onlineboost.boosters.single import Single as Single
from onlineboost.boosters.window_boost import WindowBoost as WindowBoost
