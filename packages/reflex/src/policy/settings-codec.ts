import { canonicalJson, copyJson, type SettingsCodec, type SettingsOwner, type Start } from '../kernel/index.ts'
import { type StoredSettings, readSettings } from './settings-form.ts'
import type { RunRestriction, RunSettings } from './settings.ts'
import { readTrust, type Trust, TRUST_LEVELS } from './trust.ts'

/** The parts of the process for reading and writing settings. */
export interface SettingsHost {
  readonly workdir: string
  /** Returns the folder of a run. Throws for a name that leads out of the folder of all runs. */
  readonly folderOf: (run: string) => string
  /** True for a file that runs when it is read. */
  readonly isModule: (file: string) => boolean
  readonly entropy: () => string
  /** Returns the restrictions of this process for the runs of an agent, for a fork. */
  readonly restrictions?: (agentId: string | undefined) => readonly RunRestriction[] | undefined
  /** Returns a proof that this user created a text; absent or undefined without a secret. */
  readonly seal?: (text: string) => string | undefined
}

const USUAL: Trust = 'probationary'

/**
 * Reads and writes the settings in the first record of a run. A store may have come with a folder from somebody else. More than
 * the default trust, modules, and files to read count only with the proof that a user of this machine set them for this run.
 */
export function settingsCodec(host: SettingsHost): SettingsCodec<RunSettings> {
  return {
    write(settings, of) {
      const kept = storedOf(settings)
      return copyJson({ ...kept, ...proofOf(kept, of, host) }, 'settings')
    },
    read: (start) => settingsOf(start, host),
    // A fork does not get the folder of another run. A user who sets the trust of a fork sets it for this machine: the claim of
    // the journal no longer counts.
    forFork({ lowered, logs, restrictions: _, ...source }, said) {
      const restrictions = host.restrictions?.(source.agentId)
      return {
        ...source,
        ...(restrictions === undefined ? {} : { restrictions }),
        ...(lowered === undefined || said.trust !== undefined ? {} : { lowered }),
        ...(logs?.secret === undefined ? {} : { logs: { secret: logs.secret } }),
        ...said,
      }
    },
  }
}

/** Returns the stored form of settings. */
function storedOf({ actor, trust, workdir, simulated, folder: _, lowered, ...rest }: RunSettings): StoredSettings & Claimed {
  const { file, events, agent, agentId, restrictions, tools, limits, routing, persistArtifacts, logs, decidedAfter, raisedElsewhere } = rest
  return {
    actor,
    trust,
    workdir,
    ...(file === undefined ? {} : { file }),
    ...(events === undefined ? {} : { events }),
    ...(agent === undefined ? {} : { agent }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(restrictions === undefined ? {} : { restrictions }),
    ...(tools === undefined ? {} : { tools }),
    ...(limits === undefined ? {} : { limits }),
    ...(simulated ? { simulate: true } : {}),
    ...(routing === undefined ? {} : { routing }),
    ...(persistArtifacts === undefined ? {} : { persistArtifacts }),
    ...(logs === undefined ? {} : { logs }),
    ...(lowered === undefined ? {} : { lowered }),
    ...(decidedAfter === undefined ? {} : { decidedAfter }),
    ...(raisedElsewhere === undefined ? {} : { raisedElsewhere }),
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

/** Settings as stored in a record, without those of the reading process. */
type Claimed = Omit<StoredSettings, 'trust' | 'simulate' | 'proof'> & { readonly trust: Trust }

function isMore(trust: Trust): boolean {
  return TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(USUAL)
}

/** True if settings contain values that only a user of this machine may set: permissions, and files to read or run. */
function needsProof({ trust, tools, agent, agentId, file, events, logs }: Claimed, { isModule }: SettingsHost): boolean {
  return (
    isMore(trust) ||
    tools !== undefined ||
    agentId !== undefined ||
    logs !== undefined ||
    events !== undefined ||
    agent?.recorded !== undefined ||
    (file !== undefined && isModule(file))
  )
}

/** Returns the settings without the values that need a proof. */
function unproved(
  { tools: _, logs: _logs, agentId: _agentId, events: _events, file, agent, trust, ...claimed }: Claimed,
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

/** Returns the proof for the next resume, if settings need one. */
function proofOf(kept: Claimed, of: SettingsOwner, host: SettingsHost): Pick<StoredSettings, 'proof'> {
  if (!needsProof(kept, host) || host.seal === undefined) return {}
  const nonce = host.entropy()
  const seal = host.seal(sealedText(kept, of, nonce))
  return seal === undefined ? {} : { proof: { nonce, seal } }
}

function isRight(proof: StoredSettings['proof'], claimed: Claimed, of: SettingsOwner, host: SettingsHost): boolean {
  return proof !== undefined && host.seal?.(sealedText(claimed, of, proof.nonce)) === proof.seal
}

/** Returns the text that a proof seals. It contains the run, so it is invalid for another run or program. */
function sealedText(
  { trust, workdir, tools, file, events, agent, agentId, logs }: Claimed,
  { run, trace, program }: SettingsOwner,
  nonce: string,
): string {
  const sealed = { run, trace, program, trust, workdir, tools: tools ?? [], file: file ?? '', agent: agent ?? {}, nonce }
  return canonicalJson(
    copyJson(
      {
        ...sealed,
        ...(events === undefined ? {} : { events }),
        ...(agentId === undefined ? {} : { agentId }),
        ...(logs === undefined ? {} : { logs }),
      },
      'settings',
    ),
  )
}
