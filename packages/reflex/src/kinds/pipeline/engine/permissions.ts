import { isList, isObject, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Call, Port } from '../../../kernel/ports/port.ts'
import type { RunSettings } from '../../../policy/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { type Label, packLabel, TRUSTED } from '../../../policy/label.ts'
import type { Permissions, Routing, Term } from '../contract/handler.ts'

type RunCall = Call<RunSettings>

/** What an operator has settled beside the settings of a run, asked once for each run and each pipeline that it calls. */
export interface PermissionsSource {
  /** How far this call's frame is trusted. */
  trust(call: RunCall): string
  /** What refuses a capability, if something does. */
  refuses(call: RunCall, capability: string): string | undefined
  /** The terms on which a capability is granted, if it is on any. */
  terms?(call: RunCall, capability: string): Term | undefined
  /** The worst label of what programs that keep no labels have read in the run of a call. */
  outside?(call: RunCall): Label
  /** Called before anything else is asked of a call; undefined where there is nothing to wait for. */
  ready?(call: RunCall): Promise<void> | undefined
  readonly mayDisable?: boolean
  /** How runs go where their graphs lead nowhere, unless their settings say otherwise. */
  readonly routing?: Routing | undefined
  readonly toolHooks?: Permissions['toolHooks']
  readonly hooks?: Permissions['hooks']
  readonly summarises?: true
  readonly council?: Permissions['council']
  /** The names of the host's actions; each takes precedence over an action of Reflex of the same name. */
  readonly actions?: readonly string[]
}

/**
 * Returns the port `charter`: trust, refused capabilities, folders and limits, as they are when a pipeline begins. They
 * are recorded, so that a replay checks every node in the same way; the resources that an effect touches are checked
 * again when it is performed (reference pipeline 5.6).
 */
export function permissionsPort(source: PermissionsSource): Port<RunSettings> {
  const permissions = (call: RunCall): Permissions => permissionsOf(source, call)
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    perform: (call) => source.ready?.(call)?.then(() => permissions(call)) ?? permissions(call),
    forkSettings: permissions,
  }
}

/**
 * Returns the request of a pipeline when it begins, when it has changed, when it is forked, and, with `returned`, when
 * a program of another kind has returned to it.
 */
export function permissionsRequest(
  { capabilities }: Pick<TypedGraph, 'capabilities'>,
  more: JsonObject = {},
): readonly [port: string, args: JsonObject] {
  return ['charter', { needs: [...capabilities], ...more }]
}

function permissionsOf(source: PermissionsSource, call: RunCall): Permissions {
  const needs = isObject(call.args) && isList(call.args['needs']) ? call.args['needs'].map(String) : []
  const refused = needs.flatMap((need): [string, string][] => {
    const by = source.refuses(call, need)
    return by === undefined ? [] : [[need, by]]
  })
  const terms = needs.flatMap((need): [string, Term][] => {
    const term = source.terms?.(call, need)
    return term === undefined ? [] : [[need, term]]
  })
  const { workdir, folder, limits = {}, agentId } = call.settings
  const routing = { ...source.routing, ...call.settings.routing }
  const outside = packLabel(source.outside?.(call) ?? TRUSTED)
  return {
    trust: source.trust(call),
    denied: Object.fromEntries(refused),
    ...(terms.length === 0 ? {} : { terms: Object.fromEntries(terms) }),
    workdir,
    folder,
    run: call.run,
    limits,
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(outside === null ? {} : { outside }),
    ...(source.mayDisable === true ? { mayDisable: true } : {}),
    ...(Object.keys(routing).length === 0 ? {} : { routing }),
    ...(source.toolHooks === undefined ? {} : { toolHooks: source.toolHooks }),
    ...(source.hooks === undefined ? {} : { hooks: { ...source.hooks } }),
    ...(source.summarises === true ? { summarises: true } : {}),
    ...(source.council === undefined ? {} : { council: { ...source.council } }),
    ...(source.actions === undefined || source.actions.length === 0 ? {} : { actions: source.actions }),
  }
}
