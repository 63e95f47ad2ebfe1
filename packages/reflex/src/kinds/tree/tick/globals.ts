import { isList, isObject, type Json, type StepContext } from '../../../kernel/index.ts'

/** The ledger of the keys that all trees share. */
export const GLOBAL_LEDGER = 'tree.global'

/** Requests the shared keys; the execution begins when they are there. */
export function requestGlobals(x: StepContext): void {
  x.request('ledger', ['latest', GLOBAL_LEDGER])
}

/** Mirrors the shared keys on the board, as `@key`. Only what has changed is written. */
export function mirrorGlobals(x: StepContext, result: Json): void {
  const entries = isObject(result) && isList(result.entries) ? result.entries : []
  for (const entry of entries) {
    const [, value = null, name] = isList(entry) ? entry : []
    if (typeof name !== 'string') continue
    const key = `@${name}`
    if (JSON.stringify(x.get(key)) !== JSON.stringify(value)) x.set(key, value)
  }
}

/** Appends what a tick has written for all trees. */
export function appendGlobals(x: StepContext, writes: readonly (readonly [key: string, value: Json])[]): void {
  if (writes.length > 0) x.request('ledger', ['appendAll', GLOBAL_LEDGER, writes.map(([name, value]) => ({ name, value }))])
}

/** True while shared keys are being written: the run waits for them before it ends. */
export function hasOpenGlobals(x: StepContext): boolean {
  return x.pendingEffects().some(({ port }) => port === 'ledger')
}
