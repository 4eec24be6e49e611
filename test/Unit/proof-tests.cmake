# Unit tests of lib/Proof.
tile_add_unit_test(proof-boxes-test proof-boxes-test.c LIBS tile_proof)
