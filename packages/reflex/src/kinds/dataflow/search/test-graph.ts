import type { Json } from '../../../kernel/index.ts'
import type { BrokenCondition, PropertyReport, SearchLimits, StatedCondition } from '../../../programs/property-tests.ts'
import type { HostFile } from '../adapter/host-file.ts'
import type { HostedEvent } from '../model/event.ts'
import { planOf } from '../pass/plan.ts'
import { purityFindings } from '../pass/purity.ts'
import { numbersOf } from '../proofs/field-values.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { breachOf, compileConditions, type Condition, firstBreach, type Situation } from './conditions.ts'
import { explore, type FoundBreach } from './explore.ts'
import { shrink } from './shrink.ts'
import { BEGINNING, Simulation } from './simulate.ts'

/** Searches events that break conditions of a graph, within the limits of its host. Throws the first mistake of a condition. */
export function testGraph(def: CompiledGraph, host: HostFile, stated: readonly StatedCondition[], limits: SearchLimits): PropertyReport {
  const conditions = compileConditions(stated)
  const own = new Set(def.graph.nodes.map(({ primitive }) => primitive).filter(({ op }) => op === undefined))
  const findings = [...own].flatMap((primitive) => purityFindings(primitive))
  const simulation = new Simulation(def, host)
  const { found, events, situations } = explore(def, simulation, conditions, limits)
  const numbers = numbersOf(planOf(def.graph))
  const broken = conditions.flatMap((condition) => {
    const first = found.find((one) => one.condition === condition)
    return first === undefined ? [] : [described(simulation, condition, shrink(first.events, numbers, breaker(simulation, first)))]
  })
  const held = stated.filter((one) => !broken.some(({ condition }) => condition === one))
  return { broken, held, events, situations, findings }
}

/** Returns a function that judges events: the condition must hold until the last one, and break there in the same way as it did. */
function breaker(simulation: Simulation, { condition, breach: before }: FoundBreach): (events: readonly HostedEvent[]) => boolean {
  return (events) => {
    let moment = BEGINNING
    for (const [place, event] of events.entries()) {
      const { after, situations } = simulation.take(moment, event)
      const breach = firstBreach(condition, situations)?.breach
      if (breach !== undefined) return place === events.length - 1 && (breach.why === undefined) === (before.why === undefined)
      moment = after
    }
    return false
  }
}

function described(simulation: Simulation, condition: Condition, events: readonly HostedEvent[]): BrokenCondition {
  let moment = BEGINNING
  let last: Situation | undefined
  for (const event of events) {
    const moved = simulation.take(moment, event)
    moment = moved.after
    last = firstBreach(condition, moved.situations)?.situation
  }
  const why = last === undefined ? undefined : breachOf(condition, last)?.why
  const names = [...new Set(condition.expression.reads.flatMap(({ key }) => (key === undefined || key === 'last' ? [] : [key])))]
  const seen = names.flatMap((name): [string, Json][] => {
    const value = last?.[name as keyof Situation]
    return value === undefined ? [] : [[name, value]]
  })
  return { condition: condition.stated, events: events as unknown as readonly Json[], seen, ...(why === undefined ? {} : { why }) }
}
