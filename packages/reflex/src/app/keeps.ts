import type { AgentChoice } from './decisions.ts'
import { isModule } from './formats.ts'
import type { Surroundings } from './host.ts'
import { canonicalJson, copyJson, isObject, type State } from '../kernel/index.ts'
import { readKept } from './kept-form.ts'
import type { RunLimits } from './options.ts'
import type { Routing } from '../kinds/pipeline/contract/handler.ts'
import { readTrust, type Trust, TRUST_LEVELS } from '../policy/index.ts'

/** What a run keeps of how it was started: facts of the operator, which a resume goes on under (decisions, trust). */
export interface Keeps {
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
export class AskedKeeps {
  /** As often as a run is asked about at once. */
  readonly #asked = new Map<string, Keeps[]>()

  get(run: string): Keeps | undefined {
    return this.#asked.get(run)?.[0]
  }

  /** While something is asked; `also`: of a further run as well. */
  async during<Result>(run: string, keeps: Keeps, ask: (also: (run: string, keeps: Keeps) => void) => Promise<Result>): Promise<Result> {
    const held: (readonly [string, Keeps])[] = []
    const hold = (one: string, its: Keeps): void => {
      held.push([one, its])
      this.#asked.set(one, [...(this.#asked.get(one) ?? []), its])
    }
    hold(run, keeps)
    try {
      return await ask(hold)
    } finally {
      for (const [one, its] of held) this.#letGo(one, its)
    }
  }

  #letGo(run: string, keeps: Keeps): void {
    const left = this.#asked.get(run)?.filter((one) => one !== keeps) ?? []
    if (left.length === 0) this.#asked.delete(run)
    else this.#asked.set(run, left)
  }
}

const USUAL: Trust = 'probationary'

/** What a proof is bound to: it says nothing of another run or another program. */
export interface ProofOf {
  readonly run: string
  readonly trace: string
  /** The hash of the root program. */
  readonly program: string
}

function isMore(trust: Trust): boolean {
  return TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(USUAL)
}

/** What a stored run may claim by itself, and what only a user of this machine can have said: rights, and files to be read or run. */
function needsProof({ trust, tools, agent, agentId, file, logs }: Keeps): boolean {
  return (
    isMore(trust) ||
    tools !== undefined ||
    agentId !== undefined ||
    logs !== undefined ||
    agent?.recorded !== undefined ||
    (file !== undefined && isModule(file))
  )
}

/** Adds the proof that a resume will ask for, where a run keeps what not everybody may claim. */
export function proved(keeps: Keeps, of: ProofOf, { host, seal }: Surroundings): Keeps {
  if (!needsProof(keeps) || seal === undefined) return keeps
  const nonce = host.entropy()
  const made = seal(sealed(keeps, of, nonce))
  return made === undefined ? keeps : { ...keeps, proof: { nonce, seal: made } }
}

/**
 * What a stored run keeps. A store may have come with a folder from somebody else: more than the usual trust, modules, and
 * files that are read count only with the proof that a user of this machine gave them here, for this very run.
 */
export function keepsOf(state: State, surroundings: Surroundings): Keeps {
  const { start } = state
  if (start === undefined || !isObject(start.by)) return { actor: '', trust: 'untrusted', workdir: '' }
  const { by } = start
  const trust = typeof by.trust === 'string' ? readTrust(by.trust, 'the journal') : 'untrusted'
  const keeps: Keeps = { ...(readKept(by) as unknown as Omit<Keeps, 'trust'>), trust }
  if (!needsProof(keeps)) return keeps
  const of = { run: start.run, trace: start.trace, program: start.pins[0]?.[3] ?? '' }
  const { proof } = keeps
  const right = proof !== undefined && surroundings.seal?.(sealed(keeps, of, proof.nonce)) === proof.seal
  return right ? keeps : unproved(keeps)
}

function unproved({ tools: _, logs: _logs, agentId: _agentId, file, agent, trust, ...keeps }: Keeps): Keeps {
  const { recorded: _recorded, ...choice } = agent ?? {}
  return {
    ...keeps,
    ...(file === undefined || isModule(file) ? {} : { file }),
    ...(agent === undefined ? {} : { agent: choice }),
    ...(isMore(trust) ? { trust: USUAL, lowered: true as const } : { trust }),
  }
}

/** What a resume will find of what is kept now: without the proof that it asks for, no more than the usual. */
export function believed(keeps: Keeps): Keeps {
  return needsProof(keeps) && keeps.proof === undefined ? unproved(keeps) : keeps
}

/**
 * What a fork keeps of how its source was started, and what is said for it anew. Another run's folder is not for it. Whoever
 * says how far it is trusted says so for himself, of this machine: the journal's own claim counts no longer.
 */
export function keptByFork(
  { proof: _, logs, lowered, ...keeps }: Keeps,
  said: Pick<Keeps, 'actor'> & Partial<Pick<Keeps, 'trust' | 'simulate'>>,
): Keeps {
  return {
    ...keeps,
    ...(lowered === undefined || said.trust !== undefined ? {} : { lowered }),
    ...(logs?.secret === undefined ? {} : { logs: { secret: logs.secret } }),
    ...said,
  }
}

function sealed({ trust, workdir, tools, file, agent, agentId, logs }: Keeps, { run, trace, program }: ProofOf, nonce: string): string {
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
