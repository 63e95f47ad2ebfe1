import {
  copyJson,
  isObject,
  type Json,
  type JsonObject,
  type Call,
  type Port,
  type Traits,
  type Store,
  usageOfResult,
} from '../../../kernel/index.ts'
import { uri } from '../model/capability-uris.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { renderText } from '../language/render.ts'
import { ledgerServices } from '../operations/memory/ledger-services.ts'
import { WrittenLabels } from '../../../policy/written-labels.ts'
import { isLasting, type Label, packLabel, TRUSTED, unpackLabel } from '../../../policy/label.ts'
import { labelled, unlabelled } from '../../../policy/index.ts'
import type { Adapter, PipelineServices, ServiceAnswer } from '../contract/services.ts'

const READS: ReadonlySet<string> = new Set([
  'recall_goals',
  'recall_intents',
  'recall_beliefs',
  'memory_recall',
  'background_checks',
  'recall',
  'working_load',
  'stats',
])
/** Services that store the data that they receive. */
const REMEMBERS: ReadonlySet<string> = new Set(['session', 'memory'])
/** Operations that the engine performs itself if the host has no service for them. Their effects ask for the permissions. */
const OF_ENGINE: ReadonlySet<string> = new Set(['llm_call', 'tool_dispatch'])

/**
 * The port `service`: `{service, op, agent, now, args}`. Access to an agent's ledger needs `arbor://memory/<op>/<agent>`; an
 * evaluation needs `arbor://eval/run`. Writes use the effect's key: they are repeated after a crash and count once.
 */
export function servicePort(
  services: PipelineServices,
  store?: Pick<Store, 'append' | 'ledger'>,
  labels: WrittenLabels = new WrittenLabels(store),
): Port {
  const embedded: Readonly<Record<string, Adapter>> = store === undefined ? {} : ledgerServices(store)
  const given: Readonly<Record<string, object | undefined>> = { ...services }
  return {
    leaves: true,
    repeat: 'keyed',
    simulate: 'succeed',
    traits(call) {
      const request = requestOf(call)
      return traitsOf(request, given[request.service] !== undefined)
    },
    used(result) {
      const { value } = unlabelled(result)
      return usageOfResult(isObject(value) && isObject(value['value']) ? value['value'] : value)
    },
    async perform(call): Promise<Json> {
      const { service, op, agent, now, args, label } = requestOf(call)
      const adapter = given[service] ?? embedded[service]
      const act = adapter !== undefined && Object.hasOwn(adapter, op) ? (adapter as Adapter)[op] : undefined
      if (act === undefined) return given[service] === undefined && OF_ENGINE.has(op) ? { own: true } : { missing: true }
      const { run, key, signal } = call
      // Labels of a host's memory are stored by agent. A service that only computes or asks a model stores nothing.
      const remembers = given[service] !== undefined && REMEMBERS.has(service) && !OF_ENGINE.has(op)
      if (remembers && !READS.has(op) && isLasting(label)) {
        await labels.add({ agent: `${service} ${agent}`, label }, key)
        await call.confirm()
      }
      const raw = await act(args, { agent, run, key, now, signal, ...(isLasting(label) ? { label: packLabel(label) } : {}) })
      if (remembers) await labels.refresh()
      const known = given[service] === undefined ? unlabelled((raw ?? null) as Json) : { value: raw, label: TRUSTED }
      const read = remembers ? labels.ofAgent(`${service} ${agent}`) : known.label
      const value = copyJson(known.value ?? null, `what ${service}.${op} answers`)
      if (isObject(value) && typeof value['error'] === 'string') throw pipelineFaults.make('R2220', `${service}.${op}: ${value['error']}`)
      return labelled({ value } satisfies ServiceAnswer, read)
    },
  }
}

interface ServiceRequest {
  readonly service: string
  readonly op: string
  readonly agent: string
  readonly now: number
  readonly args: JsonObject
  readonly label: Label
}

function requestOf({ args: raw }: Call): ServiceRequest {
  const { service, op, agent, now, args, label } = isObject(raw) ? raw : {}
  return {
    label: unpackLabel(label),
    service: renderText(service),
    op: renderText(op),
    agent: renderText(agent),
    now: typeof now === 'number' ? now : 0,
    args: isObject(args) ? args : {},
  }
}

function traitsOf({ service, op, agent }: ServiceRequest, isOfHost: boolean): Traits {
  if (service === 'eval') return { leaves: isOfHost, repeat: 'keyed', needs: [uri('eval', 'run')] }
  if (service === 'search') return { leaves: isOfHost, repeat: 'free', needs: [uri('action', 'web_search')] }
  if (service === 'consensus') return { leaves: isOfHost, repeat: op === 'check' ? 'free' : 'keyed' }
  if (OF_ENGINE.has(op)) return { leaves: isOfHost, repeat: 'keyed' }
  const needs = [uri('memory', op, agent)]
  return READS.has(op) ? { leaves: isOfHost, repeat: 'free', needs } : { leaves: true, repeat: 'keyed', needs }
}
