"""One model from data on many workers: shards, rounds of learning and merging, and the engines that run them."""

from onlineboost.distributed.engines import engine
from onlineboost.distributed.rounds import ShardError, learn_shard, train_shards
from onlineboost.distributed.shards import ArrayShard, ParquetShard, array_shards, parquet_shards

__all__ = [
    "ArrayShard",
    "ParquetShard",
    "ShardError",
    "array_shards",
    "engine",
    "learn_shard",
    "parquet_shards",
    "train_shards",
]
