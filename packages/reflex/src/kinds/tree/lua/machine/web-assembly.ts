/** A compiled module of WebAssembly. It can be sent to a worker. */
export interface WasmModule {
  readonly compiledModule?: never
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export interface WasmTable {
  readonly length: number
  grow(by: number): number
  get(index: number): unknown
  set(index: number, value: unknown): void
}

/** The part of WebAssembly that is used; the libraries of types that are loaded have none of it. */
interface Api {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[]
  }
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, object>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> }
}

export const wasm: Api = (globalThis as unknown as { readonly WebAssembly: Api }).WebAssembly
