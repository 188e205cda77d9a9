//go:build go1.27 && goexperiment.simd && wasm

#include "textflag.h"

// AT pushes the address in R at, for instructions on memory.
#define AT(at) Get at; I32WrapI64

// TERM adds a row's product with the columns in V8 to V11 to its four sums; a is where the row's value is.
#define TERM(a, s0, s1, s2, s3) \
	AT(a); F32Load $0; F32x4Splat; Set V12 \
	Get s0; Get V8; Get V12; F32x4Mul; F32x4Add; Set s0 \
	Get s1; Get V9; Get V12; F32x4Mul; F32x4Add; Set s1 \
	Get s2; Get V10; Get V12; F32x4Mul; F32x4Add; Set s2 \
	Get s3; Get V11; Get V12; F32x4Mul; F32x4Add; Set s3

// ZERO makes four sums 0.
#define ZERO(s0, s1, s2, s3) \
	V128Const $0, $0; Set s0 \
	V128Const $0, $0; Set s1 \
	V128Const $0, $0; Set s2 \
	V128Const $0, $0; Set s3

// KEEP stores four sums from c on. Go 1.27's assembler drops the offset of a vector's store, so that it is added before.
#define KEEP(c, s0, s1, s2, s3) \
	AT(c); Get s0; V128Store $0 \
	AT(c); I32Const $16; I32Add; Get s1; V128Store $0 \
	AT(c); I32Const $32; I32Add; Get s2; V128Store $0 \
	AT(c); I32Const $48; I32Add; Get s3; V128Store $0

// PLUS adds what lies from c on to four sums.
#define PLUS(c, s0, s1, s2, s3) \
	AT(c); V128Load $0; Get s0; F32x4Add; Set s0 \
	AT(c); V128Load $16; Get s1; F32x4Add; Set s1 \
	AT(c); V128Load $32; Get s2; F32x4Add; Set s2 \
	AT(c); V128Load $48; Get s3; F32x4Add; Set s3

// func gemmPairs(block *gemmArgs, row, term uintptr, pairs int)
TEXT ·gemmPairs(SB), NOSPLIT, $0-32
	I64Load block+0(FP); Set R15
	I64Load row+8(FP); Set R10
	I64Load term+16(FP); Set R11
	I64Load pairs+24(FP); Set R14
	AT(R15); I64Load $8; Set R8  // a
	AT(R15); I64Load $32; Set R12 // ldb
	AT(R15); I64Load $40; Set R5 // c
	AT(R15); I64Load $48; Set R13 // ldc
	Loop
		Get R8; Set R0
		Get R8; Get R10; I64Add; Set R1
		AT(R15); I64Load $24; Set R2 // b
		AT(R15); I64Load $0; Set R3  // k
		ZERO(V0, V1, V2, V3)
		ZERO(V4, V5, V6, V7)
		Loop
			AT(R2); V128Load $0; Set V8
			AT(R2); V128Load $16; Set V9
			AT(R2); V128Load $32; Set V10
			AT(R2); V128Load $48; Set V11
			TERM(R0, V0, V1, V2, V3)
			TERM(R1, V4, V5, V6, V7)
			Get R2; Get R12; I64Add; Set R2
			Get R0; Get R11; I64Add; Set R0
			Get R1; Get R11; I64Add; Set R1
			Get R3; I64Const $1; I64Sub; Tee R3
			I64Eqz; I32Eqz
			BrIf $0
		End
		Get R5; Get R13; I64Add; Set R6
		AT(R15); I64Load $64; I64Const $4; I64Eq // mode = gemmAdd
		If
			PLUS(R5, V0, V1, V2, V3)
			PLUS(R6, V4, V5, V6, V7)
		End
		KEEP(R5, V0, V1, V2, V3)
		KEEP(R6, V4, V5, V6, V7)
		Get R6; Get R13; I64Add; Set R5
		Get R8; Get R10; I64Add; Get R10; I64Add; Set R8
		Get R14; I64Const $1; I64Sub; Tee R14
		I64Eqz; I32Eqz
		BrIf $0
	End
	RET
