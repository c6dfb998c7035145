"""The ops behind crosses of features."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.sparse.recorded import Record, check, longs, rows

INDICES = [rows([0, 0], [1, 0], [1, 1]), rows([0, 0], [1, 0])]
X = {"indices": INDICES, "values": [["a", "b", "c"], ["x", "y"]], "shapes": [longs(2, 2), longs(2, 1)]}
N = {"indices": INDICES, "values": [longs(1, 2, 3), longs(10, 20)], "shapes": [longs(2, 2), longs(2, 1)]}
SPARSE = (
    [np.int64([[0, 0], [1, 0]])],
    [np.array([b"a", b"b"], object)],
    [np.int64([2, 1])],
    [np.int64([[1, 2], [3, 4]])],
)
SAMPLES = [
    Sample("SparseCrossV2", (*SPARSE, np.array(b"-", object))),
    Sample(
        "SparseCross",
        SPARSE,
        {"hashed_output": True, "num_buckets": 9, "hash_key": 3, "out_type": tf.int64, "internal_type": tf.int64},
    ),
    Sample(
        "SparseCross",
        SPARSE,
        {"hashed_output": False, "num_buckets": 0, "hash_key": 3, "out_type": tf.string, "internal_type": tf.int64},
    ),
    Sample("SparseCrossHashed", (*SPARSE, np.int64(0), np.bool_(False), np.int64([1, 2]))),
    Sample("SparseCrossHashed", (*SPARSE, np.int64(7), np.bool_(True), np.int64([1, 2]))),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "R.SparseCrossV2(**X,dense_inputs=[],sep='_X_')",
        "[int64:[[0, 0], [1, 0], [1, 1]], string:[b'a_X_x', b'b_X_y', b'c_X_y'], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossV2(**X,dense_inputs=[c([['d','e'],['f','g']])],sep='-')",
        "[int64:[[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [1, 3]], string:[b'a-x-d', b'a-x-e', b'b-y-f', b'b-y-g', b'c-y-f', b'c-y-g'], int64:[2, 4]]",
        None,
    ),
    (
        "R.SparseCrossV2(**N,dense_inputs=[c([['d','e'],['f','g']])],sep='')",
        "[int64:[[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [1, 3]], string:[b'110d', b'110e', b'220f', b'220g', b'320f', b'320g'], int64:[2, 4]]",
        None,
    ),
    (
        "R.SparseCrossV2(**N,dense_inputs=[c([[7],[8]],tf.int64)],sep=',')",
        "[int64:[[0, 0], [1, 0], [1, 1]], string:[b'1,10,7', b'2,20,8', b'3,20,8'], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[],values=[],shapes=[],dense_inputs=[c([['d','e'],['f','g']]),c([['1'],['2']])],sep='_')",
        "[int64:[[0, 0], [0, 1], [1, 0], [1, 1]], string:[b'd_1', b'e_1', b'f_2', b'g_2'], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[],values=[],shapes=[],dense_inputs=[c([['d','e'],['f','g']]),c([['1'],['2'],['3']])],sep='_')",
        "InvalidArgumentError: Expected batch size 2 got 3 at dense tensor 1",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[],values=[],shapes=[],dense_inputs=[],sep='_')",
        "[int64[0, 2], string[0], int64:[0, 0]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[],sep='_')",
        "[int64:[[0, 0]], string:[b'a'], int64:[3, 1]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[c([['1'],['2'],['3']])],sep='_')",
        "[int64:[[0, 0]], string:[b'a_1'], int64:[3, 1]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[c([['1'],['2']])],sep='_')",
        "InvalidArgumentError: Expected batch size 3 got 2 at dense tensor 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0,0])],values=[['a']],shapes=[L(3,1,1)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: Expected D2 of index to be 2 got 3 at position 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a','b']],shapes=[L(3,1)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: Expected size of values to be 1 got 2 at position 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a']],shapes=[L(3)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: shape should imply a 2D tensor, but got [1] at position 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([5,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[],sep='_')",
        "[int64[0, 2], string[0], int64:[3, 0]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([-1,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[],sep='_')",
        "[int64[0, 2], string[0], int64:[3, 0]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([1,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[c(['a'])],sep='_')",
        "InvalidArgumentError: Dense inputs should be a matrix but received shape [1] at position 0",
        None,
    ),
    (
        "R.SparseCrossHashed(**X,dense_inputs=[],num_buckets=L(100)[0],strong_hash=False,salt=L(1,2))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[38, 35, 96], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**X,dense_inputs=[],num_buckets=L(0)[0],strong_hash=False,salt=L(1,2))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[598440913169127831, 5599933622718060628, 5351530424226319396], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**X,dense_inputs=[],num_buckets=L(1000)[0],strong_hash=True,salt=L(1,2))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[934, 768, 293], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**N,dense_inputs=[],num_buckets=L(0)[0],strong_hash=False,salt=L(0,0))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[4465496470261518542, 4902322017506888532, 2798753396725833003], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**N,dense_inputs=[],num_buckets=L(0)[0],strong_hash=False,salt=L(3,5))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[4465496470261518542, 4902322017506888532, 2798753396725833003], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**N,dense_inputs=[],num_buckets=L(0)[0],strong_hash=True,salt=L(3,5))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[2600378601696155155, 7404748623261899555, 7831304504054107583], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**N,dense_inputs=[],num_buckets=L(7)[0],strong_hash=False,salt=L(3))",
        'InvalidArgumentError: Input "salt" must have length 2 but has length 1',
        None,
    ),
    (
        "R.SparseCrossHashed(**N,dense_inputs=[],num_buckets=L(-7)[0],strong_hash=False,salt=L(3,5))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[4465496470261518542, 4902322017506888532, 2798753396725833003], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(**N,dense_inputs=[],num_buckets=L(7),strong_hash=False,salt=L(3,5))",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[4, 5, 2], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCross(**X,dense_inputs=[],hashed_output=False,num_buckets=0,hash_key=956888297470,out_type=tf.string,internal_type=tf.string)",
        "[int64:[[0, 0], [1, 0], [1, 1]], string:[b'a_X_x', b'b_X_y', b'c_X_y'], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCross(**X,dense_inputs=[],hashed_output=True,num_buckets=0,hash_key=956888297470,out_type=tf.int64,internal_type=tf.string)",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[1484974617627318892, 5470948523078679805, 6571367263544129360], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCross(**X,dense_inputs=[],hashed_output=True,num_buckets=100,hash_key=956888297470,out_type=tf.int64,internal_type=tf.string)",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[92, 5, 60], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCross(**N,dense_inputs=[c([['d','e'],['f','g']])],hashed_output=True,num_buckets=100,hash_key=956888297470,out_type=tf.int64,internal_type=tf.string)",
        "InvalidArgumentError: Input values should be of internal type 7 but received 9",
        None,
    ),
    (
        "R.SparseCross(**N,dense_inputs=[],hashed_output=True,num_buckets=100,hash_key=956888297470,out_type=tf.int64,internal_type=tf.int64)",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[6, 18, 17], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCross(**N,dense_inputs=[],hashed_output=False,num_buckets=0,hash_key=956888297470,out_type=tf.string,internal_type=tf.int64)",
        "[int64:[[0, 0], [1, 0], [1, 1]], string:[b'1_X_10', b'2_X_20', b'3_X_20'], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCross(**X,dense_inputs=[],hashed_output=True,num_buckets=100,hash_key=5,out_type=tf.int64,internal_type=tf.int64)",
        "[int64:[[0, 0], [1, 0], [1, 1]], int64:[88, 15, 62], int64:[2, 2]]",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[L(0,0)],values=[['a']],shapes=[L(3,1)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: Input indices should be a matrix but received shape [2] at position 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[[['a']]],shapes=[L(3,1)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: Input values should be a vector but received shape [1,1] at position 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a']],shapes=[I([3,1])],dense_inputs=[],sep='_')",
        "InvalidArgumentError: Input shapes should be a vector but received shape [1,2] at position 0",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0]),I([0,0])],values=[['a'],['b']],shapes=[L(3,1),L(4,1)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: Expected batch size 3 got 4 at position 1",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0]),I([0,0])],values=[['a'],['b']],shapes=[L(3,1),L(3)],dense_inputs=[],sep='_')",
        "InvalidArgumentError: shape should imply a 2D tensor, but got [1] at position 1",
        None,
    ),
    (
        "R.SparseCrossV2(indices=[I([0,0])],values=[['a']],shapes=[L(3,1)],dense_inputs=[],sep=['_'])",
        "InvalidArgumentError: Input separator should be a scalar. Received: Tensor<type: string shape: [1] values: _>",
        None,
    ),
    (
        "R.SparseCross(indices=[I([0,0])],values=[L(1)],shapes=[L(3,1)],dense_inputs=[],hashed_output=False,num_buckets=0,hash_key=3,out_type=tf.string,internal_type=tf.string)",
        "InvalidArgumentError: Input values should be of internal type 7 but received 9",
        None,
    ),
    (
        "R.SparseCross(indices=[],values=[],shapes=[],dense_inputs=[I([3])],hashed_output=False,num_buckets=0,hash_key=3,out_type=tf.string,internal_type=tf.string)",
        "InvalidArgumentError: Dense inputs should be of internal type 7 but received 9",
        None,
    ),
    (
        "R.SparseCross(indices=[],values=[],shapes=[],dense_inputs=[c([['a']])],hashed_output=False,num_buckets=0,hash_key=3,out_type=tf.string,internal_type=tf.int64)",
        "[int64:[[0, 0]], string:[b'a'], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCross(indices=[],values=[],shapes=[],dense_inputs=[c([['a']])],hashed_output=False,num_buckets=0,hash_key=3,out_type=tf.int64,internal_type=tf.int64)",
        "[int64:[[0, 0]], int64:[6580035590584806591], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCross(indices=[],values=[],shapes=[],dense_inputs=[c([['a']])],hashed_output=True,num_buckets=0,hash_key=3,out_type=tf.int64,internal_type=tf.int64)",
        "[int64:[[0, 0]], int64:[6580035590584806591], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCross(indices=[],values=[],shapes=[],dense_inputs=[c([['a']])],hashed_output=True,num_buckets=0,hash_key=3,out_type=tf.string,internal_type=tf.int64)",
        "[int64:[[0, 0]], string:[b'a'], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCross(indices=[],values=[],shapes=[],dense_inputs=[I([3])],hashed_output=True,num_buckets=0,hash_key=-3,out_type=tf.int64,internal_type=tf.int64)",
        "[int64:[[0, 0]], int64:[857948610593155865], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCrossHashed(indices=[],values=[],shapes=[],dense_inputs=[I([5,-1]),I([7])],num_buckets=c(0,tf.int64),strong_hash=False,salt=L(1,2))",
        "[int64:[[0, 0], [0, 1]], int64:[6266101716160165, 1198330904314011971], int64:[1, 2]]",
        None,
    ),
    (
        "R.SparseCrossHashed(indices=[I([0,0])],values=[L(12345678901)],shapes=[L(1,1)],dense_inputs=[c([['a']])],num_buckets=c(0,tf.int64),strong_hash=True,salt=L(1,-2))",
        "[int64:[[0, 0]], int64:[2729964178547879672], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCrossHashed(indices=[I([0,0])],values=[L(12345678901)],shapes=[L(1,1)],dense_inputs=[c([['a']])],num_buckets=c(0,tf.int64),strong_hash=[False],salt=L(1,-2))",
        "[int64:[[0, 0]], int64:[7099422253618301959], int64:[1, 1]]",
        None,
    ),
    (
        "R.SparseCrossHashed(indices=[],values=[],shapes=[],dense_inputs=[],num_buckets=c(0,tf.int64),strong_hash=False,salt=L(1,-2))",
        "[int64[0, 2], int64[0], int64:[0, 0]]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, {"X": X, "N": N})
