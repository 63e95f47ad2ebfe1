import { type FaultData, isObject, type Json } from '../../../kernel/index.ts'
import type { Answer, Ask, BranchResult, Settled } from './handler.ts'

/**
 * Answers of an execution as the board keeps them: what an effect brought as it is, so that the journal stores it once;
 * failures and times that passed under names of the engine's own, which a result that has one of them cannot pretend to be.
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

/** Reads the answer to an ask back. `keyOf` gives the key of the i-th thing that was kept for it. */
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

/** Reads the result of an effect. */
export function unpackSettled(kept: Json | undefined): Settled {
  if (!isObject(kept)) return { ok: kept ?? null }
  if (kept[OK] !== undefined) return { ok: kept[OK] }
  return kept[ERROR] === undefined ? { ok: kept } : { error: kept[ERROR] as unknown as FaultData }
}
