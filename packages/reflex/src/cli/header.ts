import { programName } from '../protocol/plain.ts'
import { basename, relative } from 'node:path'
import type { RunHandle } from '../runs/handle.ts'
import type { AgentChoice, RunLimits, RunSettings } from '../policy/index.ts'
import { budgetText } from './budget.ts'
import type { Console } from './console.ts'
import { factLine, paragraph } from './layout.ts'
import { plainLine } from './progress.ts'
import type { Session } from './session.ts'

/** Prints the header of a run: its program, its name, its decider and its trust (decisions: always printed). */
export function runHeader({ console, reflex }: Session, handle: RunHandle, more: readonly string[], verb = 'resumed'): void {
  if (console.quiet || console.shape !== 'text') return
  if (reflex.isNew) printNewStore(console, reflex.store.name)
  const { err } = console
  const { start, pins } = handle.run.state
  const [pin] = start?.pins ?? pins
  const { settings } = handle.run
  const name = err.text(pin === undefined ? 'program' : programName(pin[0]))
  const id = err.text(handle.id)
  const trace = console.flags.ids === true && start !== undefined ? [`trace ${start.trace}`] : []
  const kept = [
    ...(settings.simulated ? ['simulated: nothing leaves this machine'] : []),
    ...budgetFacts(reflex.limits(handle.run), () => unpricedIn(reflex, settings)),
  ]
  const facts = [
    ...(more.length === 0
      ? [...kindFacts(handle, pin?.[1]), deciderText(handle, settings.agent, reflex.models.name())].filter((fact) => fact !== '')
      : more),
    settings.trust,
    ...(settings.agentId === undefined ? [] : [`for ${err.text(settings.agentId)}`]),
    ...kept,
    ...trace,
  ]
  if (console.isLive) console.report(factLine(`${name}  ${id}`, `${err.paint('bold', name)}  ${id}`, facts, err))
  else
    plainLine(
      console,
      more.length === 0 ? (start?.at ?? console.now) : console.now,
      more.length === 0 ? 'started' : verb,
      `${name} ${handle.id}  ${facts.join(' · ')}`,
    )
  if (settings.lowered === true) printLowered(console, settings.trust)
}

/** Returns the kind of a program, or what its kind shows in place of its name. */
function kindFacts({ run, definitions }: RunHandle, name = 'program'): readonly string[] {
  const { kind, def } = definitions.program(run.state.root.pin)
  return definitions.view(kind).headline?.(def) ?? [name]
}

function budgetFacts(limits: RunLimits | undefined, unpricedModel: () => string | undefined): readonly string[] {
  if (limits === undefined) return []
  const unpriced = limits.cost === undefined ? undefined : unpricedModel()
  const asks = unpriced === undefined ? [] : [`${unpriced} has no price: the run asks before it is used`]
  const budget = budgetText(limits)
  return [...(budget === '' ? [] : [`budget ${budget}`]), ...asks]
}

/** Returns the first model that may be used and has no known price. */
function unpricedIn({ models }: Session['reflex'], { agent, simulated }: RunSettings): string | undefined {
  if (simulated || agent?.recorded !== undefined) return undefined
  const request = { messages: [], ...(agent?.model === undefined ? {} : { model: agent.model }) }
  return models.unpricedModels(request)[0]
}

/** Warns that the trust in a journal is limited to the trust that the operator allows. */
function printLowered(console: Console, trust: string): void {
  const { err, now } = console
  const text = `trust is ${trust} here, lower than in the journal`
  if (console.isLive) console.report(paragraph(`${err.paintMark('warns', err.mark('warns'))} ${err.text(text)}`, err))
  else plainLine(console, now, 'warns', text)
}

function printNewStore(console: Console, store: string): void {
  const { err, world } = console
  const near = relative(world.surroundings.cwd, store)
  const name = near === '' || near.startsWith('..') ? store : near
  if (name.startsWith('memory')) return
  const text = err.text(`new store ${name} · stays on this machine${name.includes('.reflex') ? ', ignored by git' : ''}`)
  if (console.isLive) console.report(paragraph(text, err).map((line) => err.paint('dim', line)))
  else plainLine(console, console.now, 'store', text)
}

/** Returns the decider of programs whose kind uses agents; else the configured model, if there is one. */
export function deciderText({ run, definitions }: RunHandle, choice: AgentChoice | undefined, configured: string | undefined): string {
  const decides = definitions.view(definitions.program(run.state.root.pin).kind).decides?.(choice, configured)
  if (decides !== undefined) return decides
  const { model = configured, recorded } = choice ?? {}
  return recorded !== undefined ? `replies from ${basename(recorded)}` : model === undefined ? '' : `model ${model}`
}
