import { isObject, type JsonObject } from '../../../kernel/index.ts'
import type { ExpressionFunction } from '../../../text/index.ts'
import type { SkillTool } from '../model/skill-tool.ts'
import { faults } from './faults.ts'
import type { ControlPlaneOptions } from '../control/settings.ts'

/** A source of facts about the host, read when the gate looks: the value of `az` in `az.account.subscription` (reference skill 1.7). */
export type FactProvider = () => JsonObject[string] | Promise<JsonObject[string]>

/** An execution that a person has to confirm. */
export interface ConfirmationRequest {
  readonly skill: string
  readonly version: string
  /** The values of the slots; `‹redacted›` in place of a sensitive one. */
  readonly inputs: JsonObject
  /** The paths below the blackboard that it writes, and what it changes outside, as the manifest declares them. */
  readonly effects: readonly string[]
  /** The text of the user in the turn. */
  readonly user: string
}

/** What a host says about itself and its skills: `new Reflex({ skill: {…} })` (reference skill 1.2). */
export interface SkillOptions {
  /** Default: the name of the work folder. */
  readonly project?: string | undefined
  /** The organisation whose skills the project has, too: it hides those of which it has an active version itself. */
  readonly org?: string | undefined
  /**
   * Confirms an execution that a wrapped agent proposes, of a skill that requires a confirmation. Only `true` confirms it; `false`, a failure
   * and no function deny it. Called again after a crash that came before the answer was recorded. A simulated run does not call it.
   */
  readonly confirm?: ((request: ConfirmationRequest) => boolean | Promise<boolean>) | undefined
  /** Facts that manifests ask for: `env`, `toolset`, `repo` and others. */
  readonly compat?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** The normalised threshold for manifests that state none; default 0.85. */
  readonly tau?: number | undefined
  /** Two normalised scores within it are a tie; default 0. */
  readonly epsilon?: number | undefined
  readonly policyMode?: 'enforce' | 'advise' | undefined
  /** `shadow`: the gate decides and the record says what would have been saved, but no skill is shown or carried out; default `apply`. */
  readonly mode?: SkillMode | undefined
  readonly principal?: { readonly id: string; readonly roles: readonly string[] } | undefined
  /** Functions that expressions of manifests may call. */
  readonly functions?: readonly ExpressionFunction[] | undefined
  readonly facts?: Readonly<Record<string, FactProvider>> | undefined
  /** What tools declare for skills beyond what they declare anyway. */
  readonly tools?: readonly SkillTool[] | undefined
  /** The control plane of an organisation; `null`: none, whatever the environment says. Default: `REFLEX_CONTROL_PLANE`, otherwise none. */
  readonly controlPlane?: ControlPlaneOptions | null | undefined
  /** The texts of prompts by their references; default: the files beside a manifest, and those that were registered with it. */
  readonly prompts?: Readonly<Record<string, string>> | undefined
  /** Values below `ctx` and `env` that every skill reads, unless the blackboard of its caller has others. */
  readonly board?: { readonly ctx?: JsonObject; readonly env?: JsonObject } | undefined
  /** The labels of turns that state none. */
  readonly goalLabels?: readonly string[] | undefined
  /**
   * What records of turns and skills have. `redacted`, the default: texts and values without secrets. `none`: hashes in place of texts and
   * values; such a run can be replayed and not be resumed. `full`: also what looks like a secret, which needs `recordSecrets`.
   */
  readonly logContent?: LogContent | undefined
  /** True: `logContent: 'full'` is meant, and texts that look like secrets are written to the store. */
  readonly recordSecrets?: boolean | undefined
}

/** What records of turns and skills have of their contents. */
export type LogContent = 'none' | 'redacted' | 'full'

/** What a host does with an approved proposal. */
export type SkillMode = 'apply' | 'shadow'

/** The options with their defaults. */
export interface SkillHost {
  readonly project: string
  readonly org: string | undefined
  readonly confirm: SkillOptions['confirm']
  /** The environment: the fact `env`, otherwise `default`. */
  readonly env: string
  readonly compat: Readonly<Record<string, string | readonly string[]>>
  readonly tau: number
  readonly epsilon: number
  readonly policyMode: 'enforce' | 'advise'
  readonly mode: SkillMode
  readonly principal: { readonly id: string; readonly roles: readonly string[] } | undefined
  readonly functions: readonly ExpressionFunction[]
  readonly facts: Readonly<Record<string, FactProvider>>
  readonly tools: readonly SkillTool[]
  readonly prompts: Readonly<Record<string, string>> | undefined
  readonly board: { readonly ctx?: JsonObject; readonly env?: JsonObject }
  readonly goalLabels: readonly string[] | undefined
  readonly logContent: LogContent
}

/** What the file of a project says to its skills. */
export interface ProjectValues {
  readonly board: { readonly ctx?: JsonObject; readonly env?: JsonObject }
  readonly goalLabels?: readonly string[]
}

const TAU = 0.85

/** Completes the options of a host. `folder`: the name of the work folder. Throws `R1477` for records with secrets that nobody has asked for. */
export function skillHost(options: SkillOptions, folder: string): SkillHost {
  const { project = folder, compat = {}, tau = TAU, epsilon = 0, policyMode = 'enforce', mode = 'apply', org, principal } = options
  const { functions = [], facts = {}, tools = [], prompts, board = {}, goalLabels, confirm, logContent = 'redacted' } = options
  const env = compat['env']
  if (logContent === 'full' && options.recordSecrets !== true)
    throw faults.make('R1477', 'logContent is full, and recordSecrets is not true', { path: 'skill.logContent' })
  return {
    project,
    org,
    confirm,
    env: typeof env === 'string' ? env : (env?.[0] ?? 'default'),
    compat: { ...compat, project },
    tau,
    epsilon,
    policyMode,
    mode,
    principal,
    functions,
    facts,
    tools,
    prompts,
    board,
    goalLabels,
    logContent,
  }
}

/** Returns the options of a host with the values of its project, which come first: those of the options replace them. */
export function withProject(host: SkillHost, { board, goalLabels }: ProjectValues): SkillHost {
  return { ...host, board: merged(board, host.board), goalLabels: host.goalLabels ?? goalLabels }
}

function merged(first: JsonObject, second: JsonObject): JsonObject {
  const both = Object.entries(second).map(([key, value]) => {
    const earlier = Object.hasOwn(first, key) ? first[key] : undefined
    return [key, isObject(earlier) && isObject(value) ? merged(earlier, value) : value] as const
  })
  return Object.fromEntries([...Object.entries(first), ...both])
}
