import type { Json } from '../../../../kernel/index.ts'
import type { LuaAnswer } from './call.ts'
import type { LoadJob } from './load-file.ts'
import type { CheckJob, ScriptJob } from './run-script.ts'
import type { WasmModule } from './web-assembly.ts'

/** What a worker gets when it starts. */
export interface WorkerStart {
  readonly module: WasmModule
  /** Raised by the host when the answer to a question was sent. */
  readonly bell: SharedArrayBuffer
}

/** A call for a worker, which has one at a time. */
export type LuaJob =
  | ({ readonly kind: 'load' } & LoadJob)
  | ({ readonly kind: 'script'; readonly asks: boolean } & ScriptJob)
  | ({ readonly kind: 'check' } & CheckJob)

/** What a worker sends: it is ready, it asks for the value of a key, its call has ended, or its engine has failed and it cannot be used again. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly key: string }
  | { readonly kind: 'end'; readonly answer: LuaAnswer }
  | { readonly kind: 'broken'; readonly message: string }

/** The answer to a question: the value, or the message of what was thrown while it was read. */
export type ReadAnswer = { readonly value: Json | undefined } | { readonly error: string }
