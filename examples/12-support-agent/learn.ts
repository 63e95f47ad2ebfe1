/** Learns skills from the runs of a folder with the command, and lets a person look at the drafts. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const REFLEX = resolve(import.meta.dirname, '../../packages/reflex/bin/reflex.js')
const TOOLS = join(import.meta.dirname, 'tools.ts')
const PERSON = 'ana'

/** A manifest as this example reads it. */
interface Draft {
  readonly id: string
  readonly plan: { readonly steps: readonly { readonly tool: string }[] }
  readonly policy: object
}

/**
 * What a person sees in a draft, by the last tool of its plan. `condition`: the runs that taught it did this step only if that held; the miner
 * cannot know it, because all of them fulfilled it. A draft that is not here is left alone.
 */
const REVIEWS: Readonly<Record<string, { readonly id: string; readonly condition?: readonly [tool: string, holds: string] }>> = {
  'carriers.ask': { id: 'parcel.where' },
  'invoices.get': { id: 'invoice.copy' },
  'exchanges.create tickets.note tickets.close': {
    id: 'order.exchange',
    condition: ['exchanges.create', 'steps.s1.result.pieces > 0'],
  },
  'refunds.create tickets.close': { id: 'order.refund', condition: ['refunds.create', "steps.s2.result.carrier_says == 'lost'"] },
  'parcels.redeliver tickets.close': {
    id: 'parcel.redeliver',
    condition: ['parcels.redeliver', "steps.s1.result.parcel_state == 'held'"],
  },
}

/** Mines the runs of a folder; tests and approves what a person finds good. `show` gets the commands and what they print. Returns the skills. */
export function learnSkills(folder: string, show: (text: string) => void): readonly string[] {
  const reflex = (...words: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [REFLEX, ...words], { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`reflex ${words.join(' ')} has ended with ${status}\n${stdout}${stderr}`)
    show(`$ reflex ${words.map((word) => (word === TOOLS ? 'tools.ts' : word)).join(' ')}\n${stdout}`)
    return stdout
  }
  reflex('learn', 'snapshot', '--tools', TOOLS)
  const drafts = readdirSync(join(folder, 'skills')).filter((name) => name.endsWith('.skill.json'))
  return drafts.sort().flatMap((name) => {
    const draft = JSON.parse(readFileSync(join(folder, 'skills', name), 'utf8')) as Draft
    const good = reviewed(draft)
    if (good === undefined) return []
    rmSync(join(folder, 'skills', name))
    writeFileSync(join(folder, 'skills', `${good.id}.skill.json`), `${JSON.stringify(good, null, 2)}\n`)
    show(`${PERSON} has read ${draft.id} and calls it ${good.id}\n`)
    reflex('skill', 'test', `skills/${good.id}.skill.json`, '--tools', TOOLS)
    reflex('skill', 'approve', `${good.id}@1.0.0`, '--by', PERSON)
    return [good.id]
  })
}

function reviewed(draft: Draft): Draft | undefined {
  const tools = draft.plan.steps.map(({ tool }) => tool).join(' ')
  const [, review] = Object.entries(REVIEWS).find(([end]) => tools.endsWith(end)) ?? []
  if (review === undefined) return undefined
  const steps = draft.plan.steps.map((step) => (step.tool === review.condition?.[0] ? { ...step, guards: [review.condition[1]] } : step))
  // The conditions are in the plan now, so nobody has to be asked each time.
  return { ...draft, id: review.id, plan: { ...draft.plan, steps }, policy: { ...draft.policy, require_confirmation: false } }
}
