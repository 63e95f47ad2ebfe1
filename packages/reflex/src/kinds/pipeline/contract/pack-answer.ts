import { type FaultData, isObject, type Json } from '../../../kernel/index.ts'
import type { Answer, Ask, BranchResult, Settled } from './handler.ts'

/**
 * Answers of an execution on the board. The result of an effect is stored unchanged, so the journal has it once. Failures and
 * timeouts are stored under reserved keys; a result that has such a key is wrapped, so it cannot imitate them.
 */
const OK = '#ok'
const ERROR = '#error'
const LATE = '#late'

export function packError(error: Json): Json {
  return { [ERROR]: error }
}

export function packOk(value: Json): Json {
  return isObject(value) && (value[OK] !== undefined || value[ERROR] !== undefined) ? { [OK]: value } : value
}

export const LATE_ANSWER: Json = { [LATE]: true }

/** Reads the answer to a request. `keyOf` returns the key of its i-th part. */
export function unpackAnswer(
  ask: Ask,
  keyOf: (part: number) => string,
  get: (key: string) => Json | undefined,
  branches: () => readonly BranchResult[],
): Answer {
  const read = (part: number): Settled => ({ ...unpackSettled(get(keyOf(part))), at: keyOf(part) })
  if ('effect' in ask) return read(0)
  if ('all' in ask) return ask.all.map((_, i) => read(i))
  if ('fork' in ask) return { branches: branches() }
  if ('keep' in ask) return { kept: keyOf(0) }
  const kept = get(keyOf(0))
  if (isObject(kept) && kept[LATE] === true) return { late: true }
  return kept as unknown as Answer
}

/** Reads the stored result of an effect. */
export function unpackSettled(kept: Json | undefined): Settled {
  if (!isObject(kept)) return { ok: kept ?? null }
  if (kept[OK] !== undefined) return { ok: kept[OK] }
  return kept[ERROR] === undefined ? { ok: kept } : { error: kept[ERROR] as unknown as FaultData }
}
