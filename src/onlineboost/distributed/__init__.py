"""One model from data on many workers: shards, rounds of learning and merging, and the engines that run them."""

from onlineboost.distributed.engines import engine
from onlineboost.distributed.learning import ShardError, learn_shard
from onlineboost.distributed.rounds import train_shards
from onlineboost.distributed.shards import ArrayShard, ParquetShard, array_shards, parquet_shards
from onlineboost.distributed.workers import Workers, workers_of

__all__ = [
    "ArrayShard",
    "ParquetShard",
    "ShardError",
    "Workers",
    "array_shards",
    "engine",
    "learn_shard",
    "parquet_shards",
    "train_shards",
    "workers_of",
]
