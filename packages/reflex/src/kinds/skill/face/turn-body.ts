import type { KindBody } from '../../../programs/kind-module.ts'
import type { TurnSource } from '../model/turn.ts'
import { recordRedaction } from '../plan/contents.ts'
import { skillHost } from '../plan/skill-host.ts'
import { turnKind } from '../turn/kind.ts'
import { turnPorts } from '../turn/ports.ts'
import { turnNames } from './turn-names.ts'
import { turnView } from './turn-view.ts'

/** The parts of the kind that its runs need. */
export const turnBody: KindBody<undefined, TurnSource> = {
  language: { ...turnNames, format: (text) => ({ text, findings: [] }) },
  view: turnView,
  make(world) {
    const host = skillHost(world.optionsOf('skill') ?? {}, '')
    return {
      kind: { ...turnKind, hidesContents: host.logContent === 'none' },
      reader: { read: () => ({ findings: [] }) },
      ports: turnPorts(world.store, recordRedaction(host, world)),
    }
  },
}
