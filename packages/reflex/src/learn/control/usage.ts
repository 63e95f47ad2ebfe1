import { isObject, type Json, keptRecords, type NumberedRecord, readPart, type Store } from '../../kernel/index.ts'
import type { UsageRow } from '../../kinds/skill/control/messages.ts'
import type { DecisionRecord } from '../../kinds/skill/model/decision.ts'
import type { KeptSkill } from '../registry/kept-skill.ts'
import { isSimulated } from '../shapes/journal-reader.ts'

/** What became of one version in the runs of a window. */
interface Counts {
  calls: number
  success: number
  fallback: number
  clarify: number
  denied: number
}

/** What became of all skills together. */
export interface UsageTotals {
  /** Runs in which a skill was approved, and those of them whose first approved skill succeeded. */
  readonly approved: number
  readonly firstSucceeded: number
  /** Denials by a policy. */
  readonly policyDenied: number
}

/** Times in milliseconds since the epoch: from the first to before the second. */
export interface Window {
  readonly from: number
  readonly to: number
}

/**
 * Counts what the ended runs of a window did with skills, by version. Only counts leave this function: no text, no argument, no name of a run. Each
 * run is counted once, in the window in which it ended.
 */
export async function readUsage(
  store: Store,
  { from, to }: Window,
  kept: readonly KeptSkill[],
): Promise<{ readonly rows: readonly UsageRow[]; readonly totals: UsageTotals }> {
  const counts = new Map<string, Counts>()
  const totals = { approved: 0, firstSucceeded: 0, policyDenied: 0 }
  const runs = await store.runs({ since: from, until: to, status: ['completed', 'failed', 'cancelled'] })
  for (const { id, status, last } of runs) {
    const part = await readPart(store, id, (await keptRecords(store, id)).first, last)
    if (isSimulated(part.opening().start?.by)) continue
    const fallback = new Set<string>()
    let first: { readonly name: string; succeeded?: boolean } | undefined
    for await (const numbered of part.records()) {
      if (beginsSimulated(numbered)) break
      for (const name of count(numbered, counts)) fallback.add(name)
      const decided = decisionIn(numbered)
      if (decided?.verdict === 'approved' && decided.skill !== null) first ??= { name: nameOf(decided.skill) }
      if (decided?.verdict === 'denied' && decided.reason.startsWith('policy.')) totals.policyDenied++
      for (const { name, isOk } of settled(numbered)) if (first?.name === name) first.succeeded ??= isOk
    }
    if (first !== undefined) totals.approved++
    if (first?.succeeded === true) totals.firstSucceeded++
    // What was denied or failed, and yet the run came to a good end: somebody did it without the skill.
    if (status === 'completed') for (const name of fallback) countsOf(counts, name).fallback++
  }
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, found]) => rowOf(name, found, kept))
  return { rows, totals }
}

/** True for the first record of a run that was simulated: what never happened is not counted. */
function beginsSimulated([, { input }]: NumberedRecord): boolean {
  if (input?.[0] !== 'kernel' || input[1] !== 'start') return false
  return isObject(input[2]) && isSimulated(input[2]['by'])
}

/** Adds a record to the counts. Returns the versions that did not do their work. */
function count(numbered: NumberedRecord, counts: Map<string, Counts>): readonly string[] {
  const failed: string[] = []
  const decided = decisionIn(numbered)
  if (decided?.skill !== undefined && decided.skill !== null) {
    const name = nameOf(decided.skill)
    const of = countsOf(counts, name)
    if (decided.verdict === 'approved') of.calls++
    if (decided.verdict === 'clarify') of.clarify++
    if (decided.verdict === 'denied') of.denied++
    if (decided.verdict === 'denied') failed.push(name)
  }
  for (const { name, isOk } of settled(numbered)) {
    if (isOk) countsOf(counts, name).success++
    else failed.push(name)
  }
  return failed
}

function decisionIn([, { more }]: NumberedRecord): DecisionRecord | undefined {
  const decision = isObject(more?.note) ? more.note['decision'] : undefined
  return isObject(decision) ? (decision as unknown as DecisionRecord) : undefined
}

/** Returns the executions that a record writes down as ended. */
function settled([, { requests = [] }]: NumberedRecord): readonly { readonly name: string; readonly isOk: boolean }[] {
  return requests.flatMap(([port, args]) =>
    port === 'skills.settle' && isObject(args)
      ? [{ name: `${textOf(args['skill'])}@${textOf(args['version'])}`, isOk: args['status'] === 'ok' }]
      : [],
  )
}

function countsOf(counts: Map<string, Counts>, name: string): Counts {
  const found = counts.get(name) ?? { calls: 0, success: 0, fallback: 0, clarify: 0, denied: 0 }
  counts.set(name, found)
  return found
}

function rowOf(name: string, counts: Counts, kept: readonly KeptSkill[]): UsageRow {
  const known = kept.find((one) => nameOf(one) === name)?.manifest.provenance
  const at = name.lastIndexOf('@')
  return {
    skill_id: name.slice(0, at),
    version: name.slice(at + 1),
    ...counts,
    delta_cost: known?.delta_cost ?? null,
    delta_p95: known?.delta_p95 ?? null,
  }
}

function nameOf({ id, version }: { readonly id: string; readonly version: string }): string {
  return `${id}@${version}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
