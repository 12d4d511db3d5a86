// Textures and surfaces through objects.
extern "C" __global__ void samples(cudaTextureObject_t t, float4 *f, int4 *i, uint2 *u, float x, float y, float z)
{
    f[0] = tex1D<float4>(t, x);
    f[1] = tex2D<float4>(t, x, y);
    f[2] = tex3D<float4>(t, x, y, z);
    f[3].x = tex1Dfetch<float>(t, (int)x);
    f[4] = tex2DLod<float4>(t, x, y, z);
    f[5] = tex2DLayered<float4>(t, x, y, 3);
    f[6] = texCubemap<float4>(t, x, y, z);
    f[7] = tex2Dgather<float4>(t, x, y, 1);
    f[8] = tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x));
    i[0] = tex2D<int4>(t, x, y);
    u[0] = tex1D<uint2>(t, x);
}

extern "C" __global__ void surfaces(cudaSurfaceObject_t s, int *p, int x, int y)
{
    p[0] = surf1Dread<int>(s, x);
    p[1] = surf2Dread<int>(s, x, y, cudaBoundaryModeClamp);
    uchar4 c = surf2Dread<uchar4>(s, x, y, cudaBoundaryModeZero);
    surf2Dwrite(c, s, x + 4, y);
    surf3Dwrite(p[2], s, x, y, 5);
    surf2DLayeredwrite(make_float2(1, 2), s, x, y, 1);
}
