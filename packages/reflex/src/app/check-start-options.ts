import type { AgentChoice, RunLimits } from '../policy/index.ts'
import { faults } from '../runs/faults.ts'
import { type Fault, faults as kernelFaults, type Program, type Programs } from '../kernel/index.ts'
import type { ChosenOption } from './kind-options.ts'
import type { Kinds } from '../programs/kinds.ts'
import { quote, suggest } from '../text/index.ts'

/**
 * Refuses an option without effect: neither the program nor the programs that it calls know it, so it would mislead the user.
 * Throws `R2031`.
 */
export function checkStartOptions(
  programs: Programs,
  kinds: Kinds,
  program: Program,
  { chosen, agent }: { readonly chosen: readonly ChosenOption[]; readonly agent: AgentChoice | undefined },
): void {
  const closure = programs.closure(program)
  const ineffective = ineffectiveOption(kinds, closure, program, chosen) ?? ineffectiveAgent(kinds, closure, agent)
  if (ineffective !== undefined) throw ineffective
}

function ineffectiveOption(
  kinds: Kinds,
  closure: readonly Program[],
  { name, kind }: Program,
  chosen: readonly ChosenOption[],
): Fault | undefined {
  const flags = closure.flatMap((called) => Object.values(kinds.optionsOf(called.kind)).map(({ flag }) => flag))
  for (const { kind: owner, option } of chosen) {
    const isKnown = option.root === true ? kind === owner : closure.some((called) => called.kind === owner)
    const [other, why] = option.with ?? []
    const lacks = other !== undefined && !chosen.some((one) => one.kind === owner && one.name === other)
    if (isKnown && !lacks) continue
    const guess = isKnown ? undefined : suggest(option.flag, flags)
    const reason = guess === undefined ? `: ${isKnown ? why : option.ignored(kind)}` : `; did you mean ${guess}?`
    return faults.make('R2031', `${option.flag} has no effect on ${name}${reason}`, {
      fix: guess === undefined ? 'leave it out' : `write ${guess}`,
    })
  }
  return undefined
}

/**
 * Returns `R2031` for an agent that no program uses, or that is named for a node that no program has: otherwise another agent
 * would decide without notice.
 */
function ineffectiveAgent(kinds: Kinds, closure: readonly Program[], agent: AgentChoice = {}): Fault | undefined {
  const { default: all, perNode = {}, script } = agent
  const nodes = Object.keys(perNode)
  if (all === undefined && script === undefined && nodes.length === 0) return undefined
  const agentPrograms = closure.filter(({ kind }) => kinds.view(kind).decides !== undefined)
  if (agentPrograms.length === 0)
    return faults.make(
      'R2031',
      `--agent has no effect on ${closure[0]?.name ?? 'it'}: agents decide at nodes of workflows, and it calls none`,
      {
        fix: 'leave it out',
      },
    )
  const known = new Set(agentPrograms.flatMap((program) => nodeNames(kinds, program)))
  const unknownNode = nodes.find((node) => !known.has(node))
  if (unknownNode === undefined) return undefined
  const guess = suggest(unknownNode, [...known])
  const hint = guess === undefined ? '' : `; did you mean ${quote(guess)}?`
  return faults.make('R2031', `an agent is named for ${quote(unknownNode)}; there is no such node${hint}`, {
    fix: guess === undefined ? 'name a node, or WORKFLOW/NODE' : `write ${quote(guess)}`,
  })
}

function nodeNames(kinds: Kinds, { kind, name, def }: Program): string[] {
  const ids =
    kinds
      .view(kind)
      .graph?.(def)
      .nodes.map(({ id }) => id) ?? []
  return [...ids, ...ids.map((id) => `${name.slice(kind.length + 1)}/${id}`)]
}

const LIMIT_NAMES = ['steps', 'time', 'tokens', 'cost'] as const satisfies readonly (keyof RunLimits)[]

/**
 * Checks the limits of a run. Throws `R2031` for an unknown name, and for a value that is not a number above 0. Programs
 * without types may pass any value.
 */
export function checkLimits(limits: RunLimits): void {
  for (const [name, amount] of Object.entries(limits) as [string, unknown][]) {
    if (!LIMIT_NAMES.some((known) => known === name)) {
      const meant = suggest(name, LIMIT_NAMES)
      const hint = meant === undefined ? `; it knows ${LIMIT_NAMES.join(', ')}` : `; did you mean ${quote(meant)}?`
      throw faults.make('R2031', `limits has ${quote(name)}, which is not a limit${hint}`, { fix: 'correct the name' })
    }
    if (amount === undefined || (typeof amount === 'number' && amount > 0 && Number.isFinite(amount))) continue
    const shown = typeof amount === 'number' ? String(amount) : JSON.stringify(amount)
    throw faults.make('R2031', `limits.${name} is ${shown}, not a number above 0`, { fix: 'give a number above 0, or leave it out' })
  }
}

/** Throws `R2010` for a program that a run can start and that cannot be found, before the run begins. */
export function checkStarted(programs: Programs, { name }: Program, started: readonly string[]): void {
  const missing = started.find((wanted) => programs.find(wanted) === undefined)
  if (missing === undefined) return
  throw kernelFaults.make('R2010', `${name} can start ${missing}, which cannot be found`, {
    path: missing,
    fix: 'put it beside the program, or name its folder with --programs',
  })
}
