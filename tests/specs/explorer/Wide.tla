---- MODULE Wide ----
EXTENDS Naturals
VARIABLES v01, v02, v03, v04, v05, v06, v07, v08, v09, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24
Init == v01 = 0 /\ v02 = 0 /\ v03 = 0 /\ v04 = 0 /\ v05 = 0 /\ v06 = 0 /\ v07 = 0 /\ v08 = 0 /\ v09 = 0 /\ v10 = 0 /\ v11 = 0 /\ v12 = 0 /\ v13 = 0 /\ v14 = 0 /\ v15 = 0 /\ v16 = 0 /\ v17 = 0 /\ v18 = 0 /\ v19 = 0 /\ v20 = 0 /\ v21 = 0 /\ v22 = 0 /\ v23 = 0 /\ v24 = 0
Next == /\ v01' = v01 + 1
        /\ v02' = IF v01' % 2 = 0 THEN v02 + 1 ELSE v02
        /\ v03' = IF v01' % 3 = 0 THEN v03 + 1 ELSE v03
        /\ v04' = IF v01' % 4 = 0 THEN v04 + 1 ELSE v04
        /\ v05' = IF v01' % 5 = 0 THEN v05 + 1 ELSE v05
        /\ v06' = IF v01' % 6 = 0 THEN v06 + 1 ELSE v06
        /\ v07' = IF v01' % 7 = 0 THEN v07 + 1 ELSE v07
        /\ v08' = IF v01' % 8 = 0 THEN v08 + 1 ELSE v08
        /\ v09' = IF v01' % 9 = 0 THEN v09 + 1 ELSE v09
        /\ v10' = IF v01' % 10 = 0 THEN v10 + 1 ELSE v10
        /\ v11' = IF v01' % 11 = 0 THEN v11 + 1 ELSE v11
        /\ v12' = IF v01' % 12 = 0 THEN v12 + 1 ELSE v12
        /\ v13' = IF v01' % 13 = 0 THEN v13 + 1 ELSE v13
        /\ v14' = IF v01' % 14 = 0 THEN v14 + 1 ELSE v14
        /\ v15' = IF v01' % 15 = 0 THEN v15 + 1 ELSE v15
        /\ v16' = IF v01' % 16 = 0 THEN v16 + 1 ELSE v16
        /\ v17' = IF v01' % 17 = 0 THEN v17 + 1 ELSE v17
        /\ v18' = IF v01' % 18 = 0 THEN v18 + 1 ELSE v18
        /\ v19' = IF v01' % 19 = 0 THEN v19 + 1 ELSE v19
        /\ v20' = IF v01' % 20 = 0 THEN v20 + 1 ELSE v20
        /\ v21' = IF v01' % 21 = 0 THEN v21 + 1 ELSE v21
        /\ v22' = IF v01' % 22 = 0 THEN v22 + 1 ELSE v22
        /\ v23' = IF v01' % 23 = 0 THEN v23 + 1 ELSE v23
        /\ v24' = IF v01' % 24 = 0 THEN v24 + 1 ELSE v24
Short == v01 < 399
====
