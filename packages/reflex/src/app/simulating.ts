import type { RunnableAgent } from '../agents/index.ts'
import type { Call, Json, Port, Traits } from '../kernel/index.ts'
import { createModels, FREE, type Models, type ModelsOptions, simulatedModel } from '../models/index.ts'
import { type Guess, type PreparedCall, type Tool, Tools } from '../tools/index.ts'
import type { DecisionAgent } from '../kinds/workflow/types.ts'

/**
 * What stands in for the outside in a run that was started with `--simulate`: nothing leaves this machine. Models are
 * simulated whatever they are called; tools that change something, run commands or use the network are not called, nor is code
 * of the host. What only reads files here is read, and everything is judged by the policy as if it were real. A run keeps that it
 * is simulated in its first record, so no resume makes it real.
 */

/** All names of models lead to one that thinks nothing and costs nothing. */
export function simulatedModels(settings: Pick<ModelsOptions, 'host' | 'guess' | 'check'>): Models {
  const models = createModels({ ...settings, environment: {}, model: 'simulated', models: { simulated: simulatedModel() } })
  return {
    configured: true,
    name: () => 'simulated',
    price: () => FREE,
    unpricedModels: () => [],
    generate: ({ model: _model, ...request }, call) => models.generate(request, call),
  }
}

/** The same tools, of which those that would reach outside answer by themselves. */
export class SimulatedTools extends Tools {
  readonly #real: Tools

  constructor(real: Tools) {
    super([])
    this.#real = real
  }

  override names(): readonly string[] {
    return this.#real.names()
  }

  override find(name: string): Tool | undefined {
    return this.#real.find(name)
  }

  override get(name: string, guess?: Guess): Tool {
    return this.#real.get(name, guess)
  }

  override prepare(name: string, args: Json, guess?: Guess): PreparedCall {
    const real = this.#real.prepare(name, args, guess)
    return {
      ...real,
      traits: (place) => {
        const traits = real.traits(place)
        return isLocal(traits) ? traits : { ...LOCAL_TRAITS, needs: traits.needs }
      },
      async run(call) {
        return isLocal(real.traits(call)) ? real.run(call) : real.simulate(call)
      },
    }
  }
}

const LOCAL_TRAITS: Traits = { leaves: false, repeat: 'free' }

/** Nothing leaves, and nothing but files of this machine is asked for. */
function isLocal({ leaves, needs = [] }: Traits): boolean {
  return !leaves && needs.every((need) => need.startsWith('arbor://fs/read') || need.startsWith('arbor://tool/'))
}

/** Agents of the host: each takes the first way that is open, and calls nothing. */
export function simulatedAgents(agents: Readonly<Record<string, DecisionAgent>>): Readonly<Record<string, RunnableAgent>> {
  const agent: RunnableAgent = {
    async resolve({ validEdges }) {
      const [edge] = validEdges
      return edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id }
    },
  }
  return Object.fromEntries(Object.keys(agents).map((name) => [name, agent]))
}

/** What each port does in a simulated run. Those that are not named are performed where nothing leaves, else they succeed. */
export function simulatedPorts(
  ports: Readonly<Record<string, Port>>,
  simulated: Readonly<Record<string, Port>>,
  isSimulated: (run: string) => boolean,
): Readonly<Record<string, Port>> {
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, chooseByRun(port, simulated[name] ?? succeedingPort(port), isSimulated)]),
  )
}

/** One of two ports, by the run. */
function chooseByRun(real: Port, simulated: Port, isSimulated: (run: string) => boolean): Port {
  const portFor = ({ run }: Call): Port => (isSimulated(run) ? simulated : real)
  return {
    leaves: real.leaves,
    repeat: real.repeat,
    traits: (call) => traitsOf(portFor(call), call),
    perform: (call) => portFor(call).perform(call),
    ...(real.forkSettings === undefined ? {} : { forkSettings: (call) => portFor(call).forkSettings?.(call) }),
    ...(real.accept === undefined ? {} : { accept: (raw, call) => real.accept?.(raw, call) ?? null }),
    ...rejectOf(real),
  }
}

function succeedingPort(port: Port): Port {
  return {
    ...LOCAL_TRAITS,
    traits: (call) => ({ ...LOCAL_TRAITS, needs: traitsOf(port, call).needs }),
    perform: (call) => (traitsOf(port, call).leaves ? { status: 'success', notes: '[Simulated]' } : port.perform(call)),
  }
}

function rejectOf(real: Port): Pick<Port, 'reject'> {
  if (real.reject === undefined) return {}
  const reject = real.reject.bind(real)
  return { reject: (thrown, call) => reject(thrown, call) }
}

function traitsOf(port: Port, call: Call): Traits {
  return port.traits?.(call) ?? { leaves: port.leaves, repeat: port.repeat, needs: port.needs, costs: port.costs }
}
