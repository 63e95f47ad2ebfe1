import {
  toFault,
  copyJson,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Call,
  type Port,
  type Traits,
  usageOfResult,
} from '../../../../kernel/index.ts'
import { didYouMean, suggest } from '../../../../text/index.ts'
import type { Idempotency } from '../../model/resolution.ts'
import { pipelineFaults } from '../../contract/faults.ts'
import { isTransient } from '../../contract/retry.ts'
import { renderText } from '../../language/render.ts'
import { ACTION_NAMES } from '../../model/action-facts.ts'
import { actionCapability, plainAction } from '../../model/action-names.ts'
import { type Parameters, readParameters } from '../../model/action-parameters.ts'

/** The context of an action of a host. */
export interface ActionServices {
  /** Aborted when the node is stopped. */
  readonly signal: AbortSignal
  /** The same key when the action is repeated after a crash. */
  readonly key: string
  readonly run: string
  readonly node: string
  readonly agent: string
  readonly workdir: string
  readonly stage: string
}

/** An action of a host. An error that it throws fails the node; its return value is the result. */
export interface HostAction {
  run(params: JsonObject, services: ActionServices): unknown
  /** Its parameters. Parameters that decide which files or commands are touched are marked `control`. */
  readonly parameters?: Parameters
  /** The capabilities that it needs in addition to `arbor://action/<name>`. */
  readonly capabilities?: readonly string[]
  /** States whether it may be repeated after a crash. Default: `side_effecting`, which asks a person. */
  readonly idempotency?: Idempotency
}

/** Actions of a host by name. A function is an action without further facts. */
export type HostActions = Readonly<Record<string, HostAction | HostAction['run']>>

const TRAITS: Readonly<Record<Idempotency, Traits>> = {
  idempotent: { leaves: false, repeat: 'free' },
  read_only: { leaves: false, repeat: 'free' },
  idempotent_with_key: { leaves: true, repeat: 'keyed' },
  side_effecting: { leaves: true, repeat: 'ask' },
}

/** The actions of a host by plain name. */
export class ActionRegistry {
  readonly #actions = new Map<string, HostAction>()

  constructor(actions: HostActions = {}) {
    for (const [name, action] of Object.entries(actions)) {
      this.#actions.set(plainAction(name), typeof action === 'function' ? { run: action } : action)
    }
  }

  get(name: string): HostAction | undefined {
    return this.#actions.get(name)
  }

  /** Returns their names. An action of a host wins over a built-in one of the same name. */
  names(): readonly string[] {
    return [...this.#actions.keys()]
  }
}

/**
 * The port `action`: `{action, params, unauthored, by?, node, agent, workdir, stage}`; returns the result of the action.
 * `unauthored` lists the parameters that the author did not write; `by: "agent"` means that an agent chose them. Throws `R2222`
 * with a suggestion for an unknown name.
 */
export function actionPort(registry: ActionRegistry): Port {
  return {
    leaves: true,
    repeat: 'ask',
    simulate: 'succeed',
    traits(call) {
      const { action, name } = findAction(registry, call)
      if (action === undefined) return { leaves: false, repeat: 'free' }
      const needs = [actionCapability(name), ...(action.capabilities ?? [])]
      return { ...TRAITS[action.idempotency ?? 'side_effecting'], needs }
    },
    used: usageOfResult,
    async perform(call): Promise<Json> {
      const { action, name, args } = findAction(registry, call)
      if (action === undefined) {
        const hint = didYouMean(suggest(name, [...registry.names(), ...ACTION_NAMES]))
        throw pipelineFaults.make('R2222', `unknown action ${JSON.stringify(name)}${hint === undefined ? '' : `; ${hint}`}`)
      }
      const forbidden = forbiddenParameter(action.parameters ?? {}, args)
      if (forbidden !== undefined)
        throw pipelineFaults.make('R2223', `${name}: only the author of the pipeline writes the parameter ${forbidden}`)
      const read = readParameters(action.parameters ?? {}, isObject(args['params']) ? args['params'] : {})
      if ('problem' in read) throw pipelineFaults.make('R2223', `${name}: ${read.problem}`)
      const { run, key, signal } = call
      const argument = (part: string): string => renderText(args[part])
      const services = {
        signal,
        key,
        run,
        node: argument('node'),
        agent: argument('agent'),
        workdir: argument('workdir'),
        stage: argument('stage'),
      }
      return copyJson((await action.run(read.values, services)) ?? {}, `the result of the action ${name}`)
    },
    reject: (thrown) =>
      toFault(thrown, (message, cause) =>
        pipelineFaults.make('R2223', message, { cause, ...(isTransient(message) ? { verdict: 'retry' as const } : {}) }),
      ),
  }
}

/** Returns a parameter that was set by somebody who must not set it. */
function forbiddenParameter(parameters: Parameters, { params, unauthored, by }: JsonObject): string | undefined {
  const values = isObject(params) ? params : {}
  const names = isList(unauthored) ? unauthored.map((name) => renderText(name)) : []
  const closed = Object.entries(parameters).filter(([, { authored, control }]) => authored === true || (by === 'agent' && control === true))
  return closed.flatMap(([own, { also = [] }]) => [own, ...also]).find((name) => names.includes(name) && Object.hasOwn(values, name))
}

function findAction(
  registry: ActionRegistry,
  { args }: Call,
): { readonly action: HostAction | undefined; readonly name: string; readonly args: JsonObject } {
  const callArgs = isObject(args) ? args : {}
  const name = renderText(callArgs['action'])
  return { action: registry.get(name), name, args: callArgs }
}
