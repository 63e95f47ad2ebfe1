import { expect } from 'vitest'
import type { StepContext } from '../../src/kernel/step/context.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Kind } from '../../src/kernel/step/kind.ts'
import type { Port, Repeat } from '../../src/kernel/ports/port.ts'
import type { Input } from '../../src/kernel/journal/record.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { Runtime, type RuntimeOptions, type StartOptions } from '../../src/kernel/run/runtime.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { type VirtualHost, virtualHost } from '../../src/testing/index.ts'

export type Step = (x: StepContext<Json>, input: Input | undefined) => void

/** A kind for one test: its step, and the facts that it switches on. Its definitions are the sources. */
export function kindOf(name: string, step: Step, facts: Partial<Kind<Json>> = {}): Kind<Json> {
  return { name, rev: 1, compile: (source) => source, step, ...facts }
}

/** An effect whose settlement the test decides. */
export class Doors {
  readonly open: {
    readonly id: string
    readonly key: string
    readonly args: Json | undefined
    readonly signal: AbortSignal
    settle(value: unknown): void
    fail(thrown: unknown): void
    part(delta: Json): void
  }[] = []

  port(leaves = false, repeat: Repeat = 'free'): Port {
    return {
      leaves,
      repeat,
      perform: (call) =>
        new Promise((settle, fail) => {
          this.open.push({
            id: String(call.id),
            key: call.key,
            args: call.args,
            signal: call.signal,
            settle,
            fail,
            part: (delta) => call.part(delta),
          })
        }),
    }
  }

  door(index = -1): Doors['open'][number] {
    const door = this.open.at(index)
    if (door === undefined) throw new Error('nothing is being performed')
    return door
  }
}

export interface World {
  readonly runtime: Runtime
  readonly host: VirtualHost
  readonly store: Store
  readonly start: (kind: string, options?: StartOptions & { readonly source?: Json }) => Promise<Run>
}

let worlds = 0

/** A process, alive or, if `gone`, one whose runs anybody may take over. */
export function worldOf(
  kinds: readonly Kind[],
  options: Partial<Omit<RuntimeOptions, 'store'>> & { readonly at?: number; readonly store?: Store | 'none' } = {},
): World {
  const store = options.store === undefined || options.store === 'none' ? memoryStore() : options.store
  const host = virtualHost({ seed: ++worlds, ...(options.at === undefined ? {} : { at: options.at }) })
  const { store: given, at: _, ...rest } = options
  const runtime = new Runtime({
    host,
    worker: { id: `w${worlds}`, host: 'test', pid: 2 ** 22 + worlds },
    ...rest,
    kinds,
    ...(given === 'none' ? {} : { store }),
  })
  return {
    runtime,
    host,
    store,
    start: async (kind, { source = {}, ...start } = {}) => runtime.start(runtime.programs.add(kind, 'main', source), start),
  }
}

/** The code of the fault that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
    return 'nothing'
  } catch (thrown) {
    return (thrown as { code?: string }).code ?? String(thrown)
  }
}

export function messageOf(act: () => unknown): string {
  try {
    act()
    return 'nothing'
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** The fault with which a run failed. */
export function failure(run: Run): { readonly code: string; readonly message: string } {
  const value = run.state.ended?.value as { code: string; message: string } | undefined
  return { code: value?.code ?? '', message: value?.message ?? '' }
}

/** Matches a text that contains this one. */
export function containing(text: string): string {
  return expect.stringContaining(text) as string
}
