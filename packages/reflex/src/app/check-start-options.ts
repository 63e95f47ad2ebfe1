import type { AgentChoice } from '../policy/index.ts'
import { faults } from '../runs/faults.ts'
import { FORMATS } from './formats.ts'
import type { Fault, Program, Programs } from '../kernel/index.ts'
import type { RunOptions } from './options.ts'
import type { ProgramFormat } from './program-format.ts'
import { quote, suggest } from '../text/index.ts'

/** The options of a start that not every program hears. */
type StartOptions = Pick<
  RunOptions,
  | 'logs'
  | 'hmacSecretFile'
  | 'limits'
  | 'validate'
  | 'agent'
  | 'resumeFrom'
  | 'force'
  | 'onUnroutedFailure'
  | 'deadEnd'
  | 'persistArtifacts'
>

/**
 * Refuses what nothing in a program, nor in what it calls, would hear: an option that is taken and has no effect tells whoever
 * gave it something that is not so. Throws `R2031`.
 */
export function checkStartOptions(programs: Programs, program: Program, options: StartOptions): void {
  const closure = programs.closure(program)
  const formats = new Set(closure.flatMap(({ kind }) => FORMATS.filter((format) => format.kind === kind)))
  const ineffective = ineffectiveOption(program, [...formats], options) ?? ineffectiveAgent(programs, closure, options.agent)
  if (ineffective !== undefined) throw ineffective
}

function ineffectiveOption({ name, kind }: Program, formats: readonly ProgramFormat[], options: StartOptions): Fault | undefined {
  const { logs, hmacSecretFile, limits, validate, resumeFrom, force } = options
  const refusal = (option: string, why: string): Fault =>
    faults.make('R2031', `${option} has no effect on ${name}: ${why}`, { fix: 'leave it out' })
  const keepsFolder = formats.some((format) => format.kind === kind && format.keepFolder !== undefined)
  if (logs !== undefined && !keepsFolder) return refusal('--logs', `runs of kind ${kind} have no folder of their own`)
  if (hmacSecretFile !== undefined && !keepsFolder) return refusal('--hmac-secret-file', `runs of kind ${kind} write no checkpoints`)
  if (options.persistArtifacts === true && !keepsFolder)
    return refusal('--persist-artifacts', `runs of kind ${kind} have no folder of their own`)
  const ineffective = ineffectiveRouting(formats, options)
  if (ineffective !== undefined) return refusal(ineffective, 'nothing in it is a pipeline')
  if (force === true && resumeFrom === undefined) return refusal('--force', 'it goes on from no checkpoint')
  if (limits?.maxSteps !== undefined && !formats.some(({ countsSteps }) => countsSteps === true))
    return refusal('--max-steps', 'nothing in it counts steps; a budget of steps asks instead')
  if (validate === false && !formats.some(({ hasLintRules }) => hasLintRules === true))
    return refusal('--no-validate', 'it has no rules that may be left out')
  return undefined
}

/** The option for the ways through a pipeline that is given although there is no pipeline. */
function ineffectiveRouting(formats: readonly ProgramFormat[], { onUnroutedFailure, deadEnd, limits }: StartOptions): string | undefined {
  if (formats.some(({ hasRouting }) => hasRouting === true)) return undefined
  if (onUnroutedFailure !== undefined) return '--on-unrouted-failure'
  if (deadEnd !== undefined) return '--dead-end'
  return limits?.branchSteps === undefined ? undefined : '--branch-steps'
}

/** Whoever names an agent, or a node that it is to decide at, must be heard: else another one decides, and nobody knows. */
function ineffectiveAgent(programs: Programs, closure: readonly Program[], agent: AgentChoice = {}): Fault | undefined {
  const { default: all, perNode = {}, script } = agent
  const nodes = Object.keys(perNode)
  if (all === undefined && script === undefined && nodes.length === 0) return undefined
  const agentPrograms = closure.filter(({ kind }) => programs.kind(kind).hasAgents === true)
  if (agentPrograms.length === 0)
    return faults.make(
      'R2031',
      `--agent has no effect on ${closure[0]?.name ?? 'it'}: agents decide at nodes of workflows, and it calls none`,
      {
        fix: 'leave it out',
      },
    )
  const known = new Set(agentPrograms.flatMap((program) => nodeNames(programs, program)))
  const unknownNode = nodes.find((node) => !known.has(node))
  if (unknownNode === undefined) return undefined
  const guess = suggest(unknownNode, [...known])
  const hint = guess === undefined ? '' : `; did you mean ${quote(guess)}?`
  return faults.make('R2031', `an agent is named for ${quote(unknownNode)}; there is no such node${hint}`, {
    fix: guess === undefined ? 'name a node, or WORKFLOW/NODE' : `write ${quote(guess)}`,
  })
}

function nodeNames(programs: Programs, { kind, name, def }: Program): string[] {
  const ids =
    programs
      .kind(kind)
      .graph?.(def)
      .nodes.map(({ id }) => id) ?? []
  return [...ids, ...ids.map((id) => `${name.slice(kind.length + 1)}/${id}`)]
}
