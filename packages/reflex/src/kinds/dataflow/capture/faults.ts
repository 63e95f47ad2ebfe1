import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const READ = 'when a capture is replayed or imported'

/** Returns the codes of replays as a catalogue entry lists them. */
function named(...codes: readonly string[]): readonly string[] {
  return codes.map((code) => `dataflow replay.${code}`)
}

/** The faults of captures (R1389 to R1394). The code of the reference is the field `rule`. */
export const faults = defineFaults({
  R1389: {
    title: 'An imported run ended as its capture did',
    verdict: 'fail',
    when: 'when a capture is imported',
    means:
      'The captured run was interrupted, or its capture ends before a channel acknowledged an intent. The imported run fails at the same place. The field `rule` has the reason of the capture, if it states one. Nothing was sent.',
    fix: 'Nothing is wrong with the import. Look at the run that was captured.',
  },
  R1390: {
    title: 'A capture cannot be read',
    verdict: 'fail',
    when: READ,
    rules: named('unsupported_capture_version'),
    means: 'The text is not a capture of this format, its end is missing, or no run gives this capture.',
    often: 'a capture of another program, a file that was cut off while it was copied',
    fix: 'Export the run again, or use the version of Reflex that wrote the capture.',
  },
  R1391: {
    title: 'A capture was changed after it was written',
    verdict: 'fail',
    when: READ,
    rules: named('hash_mismatch', 'duplicate_event_id', 'invalid_payload', 'event_rehydrate_failed', 'chain_mismatch'),
    means:
      'The capture contradicts its own hashes: a payload, the order of the events, an acknowledgement, an interruption, a limit or the egress is not the one that was written. Nothing was evaluated.',
    fix: 'Use the original file. Export the run again if its journal still exists.',
  },
  R1392: {
    title: 'A capture belongs to another program',
    verdict: 'fail',
    when: READ,
    rules: named(
      'adapter_provenance_mismatch',
      'adapter_required',
      'unexpected_adapter',
      'runtime_provenance_mismatch',
      'graph_id_mismatch',
      'external_effect_kind_unrepresentable',
    ),
    means:
      'A strict replay needs the graph, the parameters, the versions of the primitives and the adapter of the capture. One of them is another one. Nothing was evaluated.',
    often: 'a graph that was edited since',
    fix: 'Use the files of that time. `reflex diff` compares two versions of a graph over the same events.',
  },
  R1393: {
    title: 'A replay decides or does something else than the capture',
    verdict: 'fail',
    when: READ,
    rules: named('decision_mismatch', 'effect_mismatch'),
    means:
      'With the same events, graph and adapter, the decision of the supervisor, the effects or the outputs of an episode are not those of the capture. Later differences may be consequences of the first.',
    often: 'a custom primitive that is not pure, a capture that was changed',
    fix: 'Compare the two sides in the data of the fault. Test custom primitives for purity.',
  },
  R1394: {
    title: 'A replay cannot be performed',
    verdict: 'fail',
    when: READ,
    rules: named('host_setup_failed', 'host_step_failed'),
    means: 'The graph does not fit its adapter, or a write of an episode is not allowed by it. The run of a capture cannot have had this.',
    fix: 'Validate the graph with its adapter.',
  },
} satisfies Record<string, CatalogueEntry>)
