import {
  type Fault,
  type FaultData,
  faultData,
  type Host,
  type Json,
  type JsonObject,
  systemHost,
  thrownMessage,
} from '../../../kernel/index.ts'
import { faults } from '../model/faults.ts'
import { type CheckResult, isTooLong, mistakesIn, partsOf, type SyntaxMistake } from './code-check.ts'
import { luaFault, type LuaText } from './failure.ts'
import { type LuaLimits, type LuaPurpose, resolveLimits, TEXT_BYTES } from './limits.ts'
import type { LuaJob } from './machine/messages.ts'
import type { CodeText } from './machine/run-script.ts'
import type { Write } from './machine/script-board.ts'
import { engineModule, PoolWorker, type WorkerEnd } from './pool-worker.ts'

/** The end of a call of Lua. Nothing of a call that failed has an effect. */
export type LuaResult =
  | {
      readonly ok: true
      readonly value: Json
      /** The staged writes in their order. */
      readonly writes: readonly Write[]
      /** What was printed, by line. */
      readonly printed: readonly string[]
      /** What the call has used of its limit of steps: equal in every process. */
      readonly steps: number
    }
  | { readonly ok: false; readonly fault: FaultData; readonly printed: readonly string[] }

/** A definition file. Its value is what it returns, after the function that the prelude returns, if there is one. */
export interface LoadRequest {
  readonly text: string
  readonly file: string
  /** Lua that defines BT, made from the manifests. It gets a table of functions that the file cannot reach: line, fail, list, syntax. */
  readonly prelude: string
  readonly limits?: LuaLimits | undefined
  readonly signal?: AbortSignal | undefined
}

/** A script or a condition. */
export interface RunRequest extends CodeText {
  readonly file: string
  /** The number of its first line in the file. */
  readonly line: number
  readonly limits?: LuaLimits | undefined
  readonly signal?: AbortSignal | undefined
  /** The keys of the board that travel along. */
  readonly board: JsonObject
  /** Reads other keys; undefined if a key has no value. What it throws rejects the call. */
  readonly read?: ((key: string) => Json | undefined) | undefined
  readonly ctx: JsonObject
}

export interface LuaPoolOptions {
  /** The most workers; 2 by default. */
  readonly workers?: number
  /** The clock of the wall limits. */
  readonly host?: Pick<Host, 'now' | 'at'>
}

interface Call {
  readonly job: LuaJob
  readonly purpose: LuaPurpose
  readonly source: LuaText
  readonly timeoutMs: number
  readonly read: RunRequest['read']
  readonly signal: AbortSignal | undefined
  readonly resolve: (result: LuaResult) => void
  readonly reject: (error: unknown) => void
}

const MOST_WORKERS = 2

/**
 * Runs Lua in workers, each call in a state of Lua that is equal to that of every other call. No worker starts before the first call. A call that
 * exceeds its wall time ends with its worker (R1243), and calls that wait get another worker. A call whose signal is aborted rejects with its reason.
 */
export class LuaPool {
  readonly #most: number
  readonly #host: Pick<Host, 'now' | 'at'>
  readonly #workers = new Set<PoolWorker>()
  readonly #idle: PoolWorker[] = []
  readonly #waiting: Call[] = []
  #isClosed = false

  constructor(options: LuaPoolOptions = {}) {
    this.#most = options.workers ?? MOST_WORKERS
    this.#host = options.host ?? systemHost
  }

  /** Runs a definition file and returns what it returns. Faults: R1241, R1242, R1243, R1261, and R1202 for a definition that is wrong. */
  async load(request: LoadRequest): Promise<LuaResult> {
    const { file, prelude } = request
    // Editors write a byte order mark, and Lua does not know it.
    const text = request.text.replace(/^\ufeff/, '')
    const { counted, timeoutMs } = resolveLimits('load', request.limits)
    const job: LuaJob = { kind: 'load', text, file, prelude, limits: counted }
    return this.#call(request, { job, purpose: 'load', source: { text, file, line: 1 }, timeoutMs, read: undefined })
  }

  /** Runs a script, or evaluates a condition to true or false. Faults: R1241, R1242, R1243, R1261. */
  async run(request: RunRequest): Promise<LuaResult> {
    const { code, file, line, ctx, read, as } = request
    const { counted, timeoutMs } = resolveLimits(as, request.limits)
    const board = Object.entries(request.board)
    const job: LuaJob = { kind: 'script', code, file, line, ctx, as, board, asks: read !== undefined, limits: counted }
    return this.#call(request, { job, purpose: as, source: { text: code, file, line }, timeoutMs, read })
  }

  /**
   * Compiles scripts and conditions of a file without running them: one call for each megabyte. Returns for each text its mistake, or undefined.
   * A text that exceeds a limit has no mistake here: its run refuses it. Faults of a call: R1243, R1245.
   */
  async check(texts: readonly CodeText[], file: string): Promise<CheckResult> {
    const { counted, timeoutMs } = resolveLimits('load')
    const mistakes: (SyntaxMistake | undefined)[] = []
    for (const part of partsOf(texts)) {
      const job: LuaJob = { kind: 'check', texts: part, limits: counted }
      const result = await this.#call({}, { job, purpose: 'load', source: { text: '', file, line: 1 }, timeoutMs, read: undefined })
      if (!result.ok) return result
      mistakes.push(...mistakesIn(result.value))
    }
    return { ok: true, mistakes }
  }

  /** Ends all workers. Calls that run or wait end with R1245. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const call of this.#waiting.splice(0)) call.resolve(failed(stopped(call.source, 'the pool was closed')))
    const workers = [...this.#workers]
    this.#workers.clear()
    await Promise.all(workers.map((worker) => worker.kill()))
  }

  async #call(
    request: { readonly signal?: AbortSignal | undefined },
    call: Omit<Call, 'resolve' | 'reject' | 'signal'>,
  ): Promise<LuaResult> {
    const { signal } = request
    signal?.throwIfAborted()
    const { text } = call.source
    if (this.#isClosed) return failed(stopped(call.source, 'the pool was closed'))
    if (isTooLong(text)) return failed(tooLong(call.source))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...call, signal, resolve, reject })
      this.#next()
    })
  }

  /** Gives waiting calls to workers, as long as there are both. */
  #next(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#idle.pop() ?? this.#newWorker()
      if (worker === 'busy') return
      if (worker === undefined) continue
      if (!worker.isUsable) {
        // It failed while it had nothing to do.
        this.#workers.delete(worker)
        continue
      }
      const call = this.#waiting.shift()
      if (call === undefined || call.signal?.aborted === true) {
        call?.reject(call.signal?.reason)
        this.#idle.push(worker)
      } else void this.#run(worker, call)
    }
  }

  /** Starts a worker, if there may be another one. If that fails, the call that waits longest ends. */
  #newWorker(): PoolWorker | 'busy' | undefined {
    if (this.#workers.size >= this.#most) return 'busy'
    try {
      const worker = new PoolWorker(engineModule())
      this.#workers.add(worker)
      return worker
    } catch (thrown) {
      const call = this.#waiting.shift()
      call?.resolve(failed(stopped(call.source, thrownMessage(thrown))))
      return undefined
    }
  }

  async #run(worker: PoolWorker, call: Call): Promise<void> {
    const { signal, timeoutMs } = call
    let stopTimer = (): void => undefined
    let hasExpired = false
    let begun = this.#host.now()
    const expire = (): void => {
      hasExpired = true
      void worker.kill()
    }
    const abort = (): void => void worker.kill()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const end = await worker.run(call.job, call.read, () => {
        begun = this.#host.now()
        stopTimer = this.#host.at(begun + timeoutMs, expire)
      })
      if (signal?.aborted === true) call.reject(signal.reason)
      else if (worker.readFailure !== undefined) call.reject(worker.readFailure)
      else call.resolve(resultOf(call, end, { hasExpired, durationMs: this.#host.now() - begun }))
    } catch (thrown) {
      // What cannot be sent to a worker.
      call.reject(thrown)
    }
    stopTimer()
    signal?.removeEventListener('abort', abort)
    if (worker.isUsable) this.#idle.push(worker)
    else this.#workers.delete(worker)
    this.#next()
  }
}

/** The time of a call, in milliseconds of the clock of the pool. */
interface Timing {
  readonly hasExpired: boolean
  readonly durationMs: number
}

function resultOf(call: Call, end: WorkerEnd, { hasExpired, durationMs }: Timing): LuaResult {
  const times = { timeout_ms: call.timeoutMs, duration_ms: durationMs }
  if (end.kind === 'answer') {
    const { answer } = end
    return answer.ok ? answer : failed(luaFault(answer.failure, call.purpose, call.source, { steps: answer.steps, times }), answer.printed)
  }
  if (hasExpired) return failed(expired(call, times))
  return failed(stopped(call.source, end.kind === 'broken' ? end.message : 'the pool was closed'))
}

function failed(fault: Fault, printed: readonly string[] = []): LuaResult {
  return { ok: false, fault: faultData(fault), printed }
}

function expired({ source: { file, line }, timeoutMs }: Call, times: JsonObject): Fault {
  return faults.make('R1243', `${file}:${line}: Lua was stopped: it ran for more than ${timeoutMs} ms`, {
    rule: 'E5003',
    file,
    line,
    data: { limit: 'time', ...times },
  })
}

function tooLong({ file, line, text }: LuaText): Fault {
  const message = `${file}: the text has ${Buffer.byteLength(text)} bytes; Lua may have ${TEXT_BYTES}`
  return faults.make('R1243', message, { rule: 'E5003', file, line, data: { limit: 'text' } })
}

function stopped({ file, line }: LuaText, why: string): Fault {
  return faults.make('R1245', `${file}:${line}: Lua could not be run: ${why}`, { file, line })
}
