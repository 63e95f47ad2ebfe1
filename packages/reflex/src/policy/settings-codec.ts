import { canonicalJson, copyJson, type SettingsCodec, type SettingsOwner, type Start } from '../kernel/index.ts'
import { type StoredSettings, readSettings } from './settings-form.ts'
import type { RunSettings } from './settings.ts'
import { readTrust, type Trust, TRUST_LEVELS } from './trust.ts'

/** The parts of the process that reading and writing settings need. */
export interface SettingsHost {
  readonly workdir: string
  /** The folder of a run. Throws for a name that would lead out of the folder of all runs. */
  readonly folderOf: (run: string) => string
  /** True for a file that is run when it is read. */
  readonly isModule: (file: string) => boolean
  readonly entropy: () => string
  /** A proof that this user made a text here; absent or undefined where there is none. */
  readonly seal?: (text: string) => string | undefined
}

const USUAL: Trust = 'probationary'

/**
 * The settings of runs in their first records. A store may have come with a folder from somebody else: more than the usual trust,
 * modules, and files that are read count only with the proof that a user of this machine gave them here, for this very run.
 */
export function settingsCodec(host: SettingsHost): SettingsCodec<RunSettings> {
  return {
    write(settings, of) {
      const kept = storedOf(settings)
      return copyJson({ ...kept, ...proofOf(kept, of, host) }, 'settings')
    },
    read: (start) => settingsOf(start, host),
    // The folder of another run is not for a fork. The user who sets the trust of a fork sets it for this machine: the journal's own claim
    // counts no longer.
    forFork({ lowered, logs, ...source }, said) {
      return {
        ...source,
        ...(lowered === undefined || said.trust !== undefined ? {} : { lowered }),
        ...(logs?.secret === undefined ? {} : { logs: { secret: logs.secret } }),
        ...said,
      }
    },
  }
}

/** The form in which settings stand in a record. */
function storedOf({ actor, trust, workdir, simulated, folder: _, lowered, ...rest }: RunSettings): StoredSettings & Claimed {
  const { file, agent, agentId, tools, limits, routing, persistArtifacts, logs } = rest
  return {
    actor,
    trust,
    workdir,
    ...(file === undefined ? {} : { file }),
    ...(agent === undefined ? {} : { agent }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(tools === undefined ? {} : { tools }),
    ...(limits === undefined ? {} : { limits }),
    ...(simulated ? { simulate: true } : {}),
    ...(routing === undefined ? {} : { routing }),
    ...(persistArtifacts === undefined ? {} : { persistArtifacts }),
    ...(logs === undefined ? {} : { logs }),
    ...(lowered === undefined ? {} : { lowered }),
  }
}

function settingsOf({ run, trace, pins, by }: Start, host: SettingsHost): RunSettings {
  const { workdir } = host
  const folder = host.folderOf(run)
  const kept = readSettings(by)
  if (kept === undefined) return { actor: '', simulated: false, trust: 'untrusted', workdir, folder }
  const trust = kept.trust === undefined ? 'untrusted' : readTrust(kept.trust, 'the journal')
  const { simulate, proof, ...claimed } = { ...kept, trust }
  const isProved = !needsProof(claimed, host) || isRight(proof, claimed, { run, trace, program: pins[0]?.[3] ?? '' }, host)
  return { ...(isProved ? claimed : unproved(claimed, host)), simulated: simulate === true, workdir, folder }
}

/** Settings as they stand in a record, without what is no setting of the process that reads them. */
type Claimed = Omit<StoredSettings, 'trust' | 'simulate' | 'proof'> & { readonly trust: Trust }

function isMore(trust: Trust): boolean {
  return TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(USUAL)
}

/** True where settings hold what only a user of this machine can have said: rights, and files to be read or run. */
function needsProof({ trust, tools, agent, agentId, file, logs }: Claimed, { isModule }: SettingsHost): boolean {
  return (
    isMore(trust) ||
    tools !== undefined ||
    agentId !== undefined ||
    logs !== undefined ||
    agent?.recorded !== undefined ||
    (file !== undefined && isModule(file))
  )
}

/** The settings without what they cannot prove. */
function unproved(
  { tools: _, logs: _logs, agentId: _agentId, file, agent, trust, ...claimed }: Claimed,
  { isModule }: SettingsHost,
): Claimed {
  const { recorded: _recorded, ...choice } = agent ?? {}
  return {
    ...claimed,
    ...(file === undefined || isModule(file) ? {} : { file }),
    ...(agent === undefined ? {} : { agent: choice }),
    ...(isMore(trust) ? { trust: USUAL, lowered: true } : { trust }),
  }
}

/** The proof that a resume asks for, where settings need one. */
function proofOf(kept: Claimed, of: SettingsOwner, host: SettingsHost): Pick<StoredSettings, 'proof'> {
  if (!needsProof(kept, host) || host.seal === undefined) return {}
  const nonce = host.entropy()
  const seal = host.seal(sealedText(kept, of, nonce))
  return seal === undefined ? {} : { proof: { nonce, seal } }
}

function isRight(proof: StoredSettings['proof'], claimed: Claimed, of: SettingsOwner, host: SettingsHost): boolean {
  return proof !== undefined && host.seal?.(sealedText(claimed, of, proof.nonce)) === proof.seal
}

/** The text that a proof seals: bound to its run, it says nothing of another run or another program. */
function sealedText(
  { trust, workdir, tools, file, agent, agentId, logs }: Claimed,
  { run, trace, program }: SettingsOwner,
  nonce: string,
): string {
  const sealed = { run, trace, program, trust, workdir, tools: tools ?? [], file: file ?? '', agent: agent ?? {}, nonce }
  return canonicalJson(
    copyJson({ ...sealed, ...(agentId === undefined ? {} : { agentId }), ...(logs === undefined ? {} : { logs }) }, 'settings'),
  )
}
