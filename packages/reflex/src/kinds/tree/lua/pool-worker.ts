import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Json } from '../../../kernel/index.ts'
import type { LuaAnswer } from './machine/call.ts'
import type { LuaJob, ReadAnswer, WorkerMessage, WorkerStart } from './machine/messages.ts'
import { wasm, type WasmModule } from './machine/web-assembly.ts'

/** The end of a call in a worker. `killed`: the worker was ended. `broken`: its engine has failed. Either way it cannot be used again. */
export type WorkerEnd =
  | { readonly kind: 'answer'; readonly answer: LuaAnswer }
  | { readonly kind: 'killed' }
  | { readonly kind: 'broken'; readonly message: string }

/** The most memory of a worker besides that of Lua, in megabytes. */
const HEAP_MB = 256

/** A worker that runs Lua. It keeps the process alive while it has a call. */
export class PoolWorker {
  readonly #worker: Worker
  readonly #bell = new SharedArrayBuffer(4)
  readonly #ready: Promise<void>
  #read: (key: string) => Json | undefined = () => undefined
  #settle: ((end: WorkerEnd) => void) | undefined
  #end: WorkerEnd | undefined
  /** What `read` has thrown for the call that is running. */
  readFailure: unknown

  constructor(module: WasmModule) {
    const workerData: WorkerStart = { module, bell: this.#bell }
    this.#worker = new Worker(workerFile(), {
      workerData,
      name: 'reflex-lua',
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    this.#ready = new Promise((resolve) => {
      this.#worker.on('message', (message: WorkerMessage) => (message.kind === 'ready' ? resolve() : this.#take(message)))
      this.#worker.on('error', (error: Error) => this.#stop({ kind: 'broken', message: error.message }))
      this.#worker.on('exit', () => {
        this.#stop({ kind: 'broken', message: 'the worker has ended' })
        resolve()
      })
    })
    this.#worker.unref()
  }

  /** False after the worker was ended or has failed. */
  get isUsable(): boolean {
    return this.#end === undefined
  }

  /** Runs a call. `onStart` is called when the worker begins with it. Rejects only for what cannot be sent to it. */
  async run(job: LuaJob, read: ((key: string) => Json | undefined) | undefined, onStart: () => void): Promise<WorkerEnd> {
    this.#worker.ref()
    await this.#ready
    if (this.#end !== undefined) return this.#end
    if (read !== undefined) this.#read = read
    this.readFailure = undefined
    const end = new Promise<WorkerEnd>((resolve) => {
      this.#settle = resolve
    })
    try {
      this.#post(job)
    } catch (thrown) {
      this.#worker.unref()
      throw thrown
    }
    onStart()
    return end
  }

  /** Ends the worker, whatever it does. Its call ends as `killed`. */
  async kill(): Promise<void> {
    this.#stop({ kind: 'killed' })
    await this.#worker.terminate()
  }

  #take(message: Exclude<WorkerMessage, { kind: 'ready' }>): void {
    if (message.kind === 'ask') this.#answer(message.key)
    else if (message.kind === 'broken') this.#stop(message)
    else this.#finish({ kind: 'answer', answer: message.answer })
  }

  #answer(key: string): void {
    try {
      this.#post({ value: this.#read(key) })
    } catch (thrown) {
      this.readFailure = thrown
      this.#post({ error: thrown instanceof Error ? thrown.message : String(thrown) })
    }
    const bell = new Int32Array(this.#bell)
    Atomics.store(bell, 0, 1)
    Atomics.notify(bell, 0)
  }

  #post(message: LuaJob | ReadAnswer): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    this.#worker.postMessage(message)
  }

  #finish(end: WorkerEnd): void {
    const settle = this.#settle
    this.#settle = undefined
    this.#worker.unref()
    settle?.(end)
  }

  #stop(end: WorkerEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    void this.#worker.terminate()
    this.#finish(end)
  }
}

/** The program of the worker: beside this file in the sources, and at a fixed place in the built package (`scripts/build.ts`). */
function workerFile(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) return new URL('./machine/worker.ts', import.meta.url)
  return new URL(`${here.slice(0, here.lastIndexOf('/dist/'))}/dist/lua-worker.js`)
}

let engine: WasmModule | undefined

/** Compiles the engine once for all workers. */
export function engineModule(): WasmModule {
  return (engine ??= new wasm.Module(readFileSync(createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm'))))
}
