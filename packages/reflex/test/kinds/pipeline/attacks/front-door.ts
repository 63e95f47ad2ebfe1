import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultData, isFault } from '../../../../src/kernel/index.ts'
import { Reflex } from '../../../../src/index.ts'
import { thisProcess } from '../../../../src/app/host.ts'
import type { Attack } from './attack.ts'
import { type Came, Listener, refused } from './came.ts'
import { carryOn, environmentOf, grantsOf, remember, WHOLE } from './composed.ts'
import type { Ground } from './ground.ts'
import { scripted, SCRIPTED } from './scripted.ts'

/** Runs an attack as a user would: with everything that Reflex has, its default store in the work folder. */
export async function runByDoor(attack: Attack, ground: Ground): Promise<Came> {
  const prompts: string[] = []
  const listener = new Listener()
  const reflex = new Reflex({
    workdir: ground.work,
    store: join(ground.work, '.reflex/reflex.db'),
    policy: [{ file: 'the operator', ...grantsOf(attack, ground.fill) }],
    models: { [SCRIPTED]: scripted(attack, ground, prompts) },
    model: SCRIPTED,
    surroundings: { ...thisProcess(), cwd: ground.work, environment: environmentOf(attack, ground), seal: () => undefined },
  })
  try {
    await remember(attack, reflex.store)
    const handle = await reflex.start(join(ground.work, 'attack.dot'), {
      id: 'attack',
      trust: attack.trust ?? 'probationary',
      input: attack.values(ground.fill),
      ...(attack.limits === undefined ? {} : { limits: attack.limits }),
      prepare: ({ run }) => listener.follow(run),
      pipeline: { validate: false, ...checkpointOf(attack, ground) },
    })
    await carryOn(handle.run, (open) => WHOLE.answer(open))
    if (attack.afterwards === undefined) return listener.came(handle.run, prompts)
    const second = new Listener()
    const afterwards = await reflex.start(join(ground.work, attack.afterwards), {
      id: 'afterwards',
      prepare: ({ run }) => second.follow(run),
      pipeline: { validate: false },
    })
    await carryOn(afterwards.run, (open) => WHOLE.answer(open))
    return second.came(afterwards.run, prompts)
  } catch (thrown) {
    if (isFault(thrown)) return refused(faultData(thrown))
    throw thrown
  } finally {
    await reflex.close()
  }
}

function checkpointOf(
  { it, hmac }: Attack,
  ground: Ground,
): { readonly resumeFrom?: string; readonly force?: boolean; readonly hmacSecretFile?: string } {
  if (!it.has('checkpoint.json')) return {}
  const secret = join(ground.root, 'hmac')
  if (hmac !== undefined) writeFileSync(secret, hmac)
  return { resumeFrom: ground.place('checkpoint.json'), force: true, ...(hmac === undefined ? {} : { hmacSecretFile: secret }) }
}
