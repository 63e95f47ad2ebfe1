import type { AgentChoice } from './run-agents.ts'
import { isModule } from './formats.ts'
import type { Surroundings } from './host.ts'
import { canonicalJson, copyJson, isObject, type State } from '../kernel/index.ts'
import { readSettings } from './settings-form.ts'
import type { RunLimits } from './options.ts'
import type { Routing } from '../kinds/pipeline/contract/handler.ts'
import { readTrust, type Trust, TRUST_LEVELS } from '../policy/index.ts'

/** What a run keeps of how it was started: facts of the operator, which a resume goes on under (decisions, trust). */
export interface RunSettings {
  readonly actor: string
  readonly trust: Trust
  readonly workdir: string
  readonly file?: string
  readonly agent?: AgentChoice
  /** The agent on whose behalf it acts: whose memory it has, and by whose rules the policy judges it. */
  readonly agentId?: string
  /** Modules of tools that the operator named, as absolute paths. */
  readonly tools?: readonly string[]
  /** What the operator lets it use. */
  readonly limits?: RunLimits
  /** Nothing leaves: models, and tools that would change something outside, are simulated. For good. */
  readonly simulate?: true
  /** How a pipeline continues where its graph leads nowhere. */
  readonly routing?: Routing
  /** Small artifacts are files of its folder too. */
  readonly persistArtifacts?: true
  /** Where its folder is, if not in the usual place, and the file of the secret that signs its checkpoints. Absolute paths. */
  readonly logs?: { readonly folder?: string; readonly secret?: string }
  /** Who said what not everybody may claim was a user of this machine: proved by a secret that no store holds. */
  readonly proof?: { readonly nonce: string; readonly seal: string }
  /** The journal claims more trust than it can prove, so the run has the usual one. */
  readonly lowered?: true
}

/** What runs keep that this process may not hold, while it is asked what their effects and those of their forks may do. */
export class TemporarySettings {
  /** As often as a run is asked about at once. */
  readonly #settings = new Map<string, RunSettings[]>()

  get(run: string): RunSettings | undefined {
    return this.#settings.get(run)?.[0]
  }

  /** While something is asked; `also`: of a further run as well. */
  async provide<Result>(
    run: string,
    settings: RunSettings,
    ask: (addRun: (run: string, keeps: RunSettings) => void) => Promise<Result>,
  ): Promise<Result> {
    const entries: (readonly [string, RunSettings])[] = []
    const add = (one: string, entry: RunSettings): void => {
      entries.push([one, entry])
      this.#settings.set(one, [...(this.#settings.get(one) ?? []), entry])
    }
    add(run, settings)
    try {
      return await ask(add)
    } finally {
      for (const [one, entry] of entries) this.#remove(one, entry)
    }
  }

  #remove(run: string, settings: RunSettings): void {
    const left = this.#settings.get(run)?.filter((one) => one !== settings) ?? []
    if (left.length === 0) this.#settings.delete(run)
    else this.#settings.set(run, left)
  }
}

const DEFAULT_TRUST: Trust = 'probationary'

/** What a proof is bound to: it says nothing of another run or another program. */
export interface ProofSubject {
  readonly run: string
  readonly trace: string
  /** The hash of the root program. */
  readonly program: string
}

function isAboveDefault(trust: Trust): boolean {
  return TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(DEFAULT_TRUST)
}

/** What a stored run may claim by itself, and what only a user of this machine can have said: rights, and files to be read or run. */
function needsProof({ trust, tools, agent, agentId, file, logs }: RunSettings): boolean {
  return (
    isAboveDefault(trust) ||
    tools !== undefined ||
    agentId !== undefined ||
    logs !== undefined ||
    agent?.recorded !== undefined ||
    (file !== undefined && isModule(file))
  )
}

/** Adds the proof that a resume will ask for, where a run keeps what not everybody may claim. */
export function withProof(settings: RunSettings, subject: ProofSubject, { host, seal }: Surroundings): RunSettings {
  if (!needsProof(settings) || seal === undefined) return settings
  const nonce = host.entropy()
  const made = seal(sealText(settings, subject, nonce))
  return made === undefined ? settings : { ...settings, proof: { nonce, seal: made } }
}

/**
 * What a stored run keeps. A store may have come with a folder from somebody else: more than the usual trust, modules, and
 * files that are read count only with the proof that a user of this machine gave them here, for this very run.
 */
export function settingsOf(state: State, surroundings: Surroundings): RunSettings {
  const { start } = state
  if (start === undefined || !isObject(start.by)) return { actor: '', trust: 'untrusted', workdir: '' }
  const { by } = start
  const trust = typeof by.trust === 'string' ? readTrust(by.trust, 'the journal') : 'untrusted'
  const settings: RunSettings = { ...(readSettings(by) as unknown as Omit<RunSettings, 'trust'>), trust }
  if (!needsProof(settings)) return settings
  const subject = { run: start.run, trace: start.trace, program: start.pins[0]?.[3] ?? '' }
  const { proof } = settings
  const isProved = proof !== undefined && surroundings.seal?.(sealText(settings, subject, proof.nonce)) === proof.seal
  return isProved ? settings : withoutProof(settings)
}

function withoutProof({ tools: _, logs: _logs, agentId: _agentId, file, agent, trust, ...settings }: RunSettings): RunSettings {
  const { recorded: _recorded, ...choice } = agent ?? {}
  return {
    ...settings,
    ...(file === undefined || isModule(file) ? {} : { file }),
    ...(agent === undefined ? {} : { agent: choice }),
    ...(isAboveDefault(trust) ? { trust: DEFAULT_TRUST, lowered: true as const } : { trust }),
  }
}

/** What a resume will find of what is kept now: without the proof that it asks for, no more than the usual. */
export function provableSettings(settings: RunSettings): RunSettings {
  return needsProof(settings) && settings.proof === undefined ? withoutProof(settings) : settings
}

/**
 * What a fork keeps of how its source was started, and what is said for it anew. Another run's folder is not for it. Whoever
 * says how far it is trusted says so for himself, of this machine: the journal's own claim counts no longer.
 */
export function settingsForFork(
  { proof: _, logs, lowered, ...settings }: RunSettings,
  overrides: Pick<RunSettings, 'actor'> & Partial<Pick<RunSettings, 'trust' | 'simulate'>>,
): RunSettings {
  return {
    ...settings,
    ...(lowered === undefined || overrides.trust !== undefined ? {} : { lowered }),
    ...(logs?.secret === undefined ? {} : { logs: { secret: logs.secret } }),
    ...overrides,
  }
}

function sealText(
  { trust, workdir, tools, file, agent, agentId, logs }: RunSettings,
  { run, trace, program }: ProofSubject,
  nonce: string,
): string {
  return canonicalJson(
    copyJson(
      {
        run,
        trace,
        program,
        trust,
        workdir,
        tools: tools ?? [],
        file: file ?? '',
        agent: agent ?? {},
        ...(agentId === undefined ? {} : { agentId }),
        ...(logs === undefined ? {} : { logs }),
        nonce,
      },
      'keeps',
    ),
  )
}
