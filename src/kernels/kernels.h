#pragma once
// The table of kernels, one per instruction set, all compiled from the same sources. Kernels are plain functions on
// float* (one product and rotations on double*): they allocate nothing, start no thread and throw nothing; the caller
// gives the scratch.
//
// Layout: tokens are rows, features are contiguous, every matrix is row-major. Denormals must be off (FlushDenormals).

#include <cstdint>

namespace cmr::kernels {

// How the matrix products of a network are computed: on floats, or on the bf16 parts of floats (gemm_bf16.inl), all of
// them or the first alone. Whatever is not a product is computed on floats. See precision.h.
enum class Precision { float32, bf16x3, bf16 };

// A matrix read with two strides: element (i, j) is data[i * row + j * column]. Plain, transposed, or the overlapping
// rows of a convolution.
struct Strided {
    const float* data;
    int64_t row;
    int64_t column;
};

// A matrix whose rows lie in groups: row i begins at data[i / rows * group + i % rows * row] and is contiguous. The
// windows of a convolution, each with its surroundings.
struct Grouped {
    const float* data;
    int64_t rows;   // of a group
    int64_t group;  // floats from one group to the next
    int64_t row;
};

// Strided in double, for sums over a data set.
struct StridedDouble {
    const double* data;
    int64_t row;
    int64_t column;
};
inline constexpr int64_t kDoubleTile = 192;  // rows and columns that a tile of a product in double has at most

// A plane rotation of a column, a, and the next, b: a, b = c a - s b, s a + c b.
struct Rotation {
    int64_t column;
    double c, s;
};
inline constexpr int64_t kRotatedRows = 32;  // of a strip of columns

// --- Mamba block ----------------------------------------------------------------------------------------------------

inline constexpr int64_t kChunk = 96;      // tokens a block works on at once, so that all it touches stays in cache
inline constexpr int64_t kScanBlock = 24;  // tokens between two saved states; divides kChunk
inline constexpr float kNormEpsilon = 1e-5f;

struct MambaShape {
    int64_t model = 128;  // features of a token
    int64_t inner = 256;  // channels inside; the kernels want a multiple of 16 (MambaStack pads)
    int64_t state = 16;   // states per inner channel
    int64_t conv = 4;     // taps of the depthwise convolution
    int64_t rank = 8;     // of the projection that makes Δ
    Precision precision = Precision::float32;

    // Rows of a chunk are 16 floats longer than needed, so that they do not all fall on the same cache sets.
    int64_t row() const { return inner + 16; }
    int64_t xz_row() const { return 2 * inner + 16; }
    int64_t projected() const { return rank + 2 * state; }  // Δ's low-rank input, B, C
    int64_t state_size() const { return state * inner; }
};

// Parameters, and their gradients, in the layout of the original implementation.
template <typename Float>
struct MambaTensors {
    Float* norm_weight;  // [model]
    Float* norm_bias;    // [model]
    Float* in_proj;      // [2 inner, model]
    Float* conv_weight;  // [inner, conv]
    Float* conv_bias;    // [inner]
    Float* x_proj;       // [rank + 2 state, inner]
    Float* dt_weight;    // [inner, rank]
    Float* dt_bias;      // [inner]
    Float* a_log;        // [inner, state]
    Float* skip;         // [inner], D
    Float* out_proj;     // [model, inner]
};

// Where a chunk stands among windows of equal length that follow each other. Windows may end and begin inside it: only
// convolution and scan know. It is cut from what comes before and after between two scan blocks of a window.
struct ChunkPlace {
    int64_t tokens;  // 1 … kChunk
    int64_t window;  // tokens of a window
    int64_t at;      // place of the first token in its window, a multiple of kScanBlock
};

// What one chunk reads and leaves behind.
struct MambaChunk {
    ChunkPlace place;
    const float* in;   // [tokens, model]
    float* out;        // [tokens, model]; may be `in`
    float* xz;         // [tokens, xz_row]; the rows before it hold the tokens of its first window before the chunk
    float* projected;  // [tokens, projected]
    float* state;      // [state, inner]: before the chunk on entry, after it on return; not read where a window begins
    float* checkpoints;  // [scan blocks that do not begin a window, state, inner], the states before; null: not kept
};

// The way back. xz, projected and checkpoints are those of the forward pass.
struct MambaBackChunk {
    ChunkPlace place;
    const float* in;
    const float* xz;
    const float* projected;
    const float* checkpoints;
    float* d_tokens;   // [tokens, model]: dL/d out on entry, dL/d in on return
    float* d_state;    // [state, inner]: dL/d state after the chunk on entry, before it on return; not read where a
                       // window ends
    float* d_conv;     // [conv - 1, row]: the same for the convolution's reach into the next chunk
    float* gradients;  // laid out by gradient_layout, added to
};

// --- Attention with association discrepancy -------------------------------------------------------------------------

// One head of one window. Rows of q, k, v and out lie `row` floats apart, numbers per token and head `heads` apart.
struct AttentionHead {
    int64_t tokens;
    int64_t width;  // features of the head
    int64_t row;
    int64_t heads;
    const float* q;
    const float* k;
    const float* v;
    const float* sigma;  // width of the Gaussian around each token, > 0
    float* out;          // softmax(q kᵀ / √width) v
    float* series;       // [tokens, tokens], that softmax
    float* discrepancy;  // per token KL(Gaussian‖softmax) + KL(softmax‖Gaussian)
    float* scratch;      // [tokens]; backward: [tokens² + tokens]
};

// The way back; `out` and `discrepancy` are not read. The discrepancy reaches the softmax by d_series and the Gaussian
// by d_prior, which may differ: one is trained against the other.
struct AttentionGradients {
    const float* d_out;
    const float* d_series;
    const float* d_prior;
    float* dq;
    float* dk;
    float* dv;
    float* d_sigma;
};

// --- The table ------------------------------------------------------------------------------------------------------

struct Kernels {
    int lanes;
    int64_t panel;        // columns of a panel of packed B; from a multiple of it on they lie at packed_size(k, column)
    int64_t packed_rows;  // packed B of a multiple of so many rows is continued by the rows packed behind it

    // C[m, n] (+)= A[m, k] · B[k, n] with B packed for this instruction set.
    int64_t (*packed_size)(int64_t k, int64_t n);
    void (*pack)(int64_t k, int64_t n, Strided b, float* packed);
    void (*gemm)(int64_t m, int64_t n, int64_t k, Strided a, const float* packed, float* c, int64_t c_row,
                 bool accumulate);
    void (*gemm_grouped)(int64_t m, int64_t n, int64_t k, Grouped a, const float* packed, float* c, int64_t c_row,
                         bool accumulate);
    // The same with B as it lies; for products whose k runs over tokens.
    void (*gemm_unpacked)(int64_t m, int64_t n, int64_t k, Strided a, Strided b, float* c, int64_t c_row,
                          bool accumulate);

    // A tile of a product in double: C[m, n] (+)= A[m, k] · B[k, n], m and n up to kDoubleTile, k of any size.
    void (*gemm_double)(int64_t m, int64_t n, int64_t k, StridedDouble a, StridedDouble b, double* c, int64_t c_row,
                        bool accumulate);

    // Rotations of the columns of strip[columns][kRotatedRows], in order.
    void (*rotate)(int64_t rotations, const Rotation* rotation, double* strip);

    // y = norm(x) * weight + bias per row, then GELU if asked.
    void (*layer_norm)(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias, bool gelu,
                       float* y);
    // dx from dy (may be the same); d_weight and d_bias are added to.
    void (*layer_norm_backward)(int64_t rows, int64_t n, const float* x, const float* weight, const float* bias,
                                bool gelu, const float* dy, float* dx, float* d_weight, float* d_bias);

    // Blocks of rows of a batch normalisation with GELU; see batch_norm.inl.
    void (*column_moments)(int64_t rows, int64_t n, const float* x, const float* mean, float* sums);
    void (*scale_gelu)(int64_t rows, int64_t n, const float* x, const float* scale, const float* shift, float* y);
    void (*scale_gelu_backward)(int64_t rows, int64_t n, const float* x, const float* scale, const float* shift,
                                const float* mean, const float* inverse, const float* dy, float* d, float* sum_d,
                                float* sum_dx);
    void (*batch_norm_backward)(int64_t rows, int64_t n, const float* x, const float* scale, const float* mean,
                                const float* inverse, const float* mean_d, const float* mean_dx, float* d);

    int64_t (*mamba_packed_size)(const MambaShape&);
    void (*mamba_pack)(const MambaShape&, const MambaTensors<const float>&, float* packed);
    int64_t (*mamba_scratch_size)(const MambaShape&);  // for either direction
    void (*mamba_forward)(const MambaShape&, const float* packed, const MambaChunk&, float* scratch);
    void (*mamba_backward)(const MambaShape&, const float* packed, const MambaBackChunk&, float* scratch);

    void (*attention_head)(const AttentionHead&);
    void (*attention_head_backward)(const AttentionHead&, const AttentionGradients&);

    // out[q, r] = Σ (query[q, i] - bank[r, i])² over n features.
    void (*squared_distances)(int64_t queries, int64_t rows, int64_t n, const float* query, const float* bank,
                              float* out);

    // For benches: runs in registers alone and returns the floating-point operations it did.
    int64_t (*multiply_add_loop)(int64_t rounds, float* sink);
};

// Of the current instruction set (isa.h), in float32.
const Kernels& kernels();
// With the products of a precision. Throws InputError where this process cannot compute them (precision.h).
const Kernels& kernels(Precision precision);

}  // namespace cmr::kernels
