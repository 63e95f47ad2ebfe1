import { defineFaults } from '../kernel/index.ts'

/** The faults of stored runs: causes, archives, tables and telemetry. */
export const historyFaults = defineFaults({
  R2022: {
    title: 'A run cannot have this name',
    verdict: 'fail',
    when: 'before a run',
    means: 'The name of a run is used in addresses, folders and command lines, so it can have only letters, digits, - and _.',
    fix: 'Choose another name, or give none; Reflex then chooses one.',
  },
  R2065: {
    title: 'There is nothing with that name to explain',
    verdict: 'fail',
    when: 'at any time',
    means:
      'A run can explain a node that has decided, a key that can be read on its board, and each of its records; a run of a graph also each node in each of its episodes. Up to the record that was asked for, it has nothing with this name.',
    often: 'a value of a called program that has returned: name a record at which the value existed',
    fix: 'Name a node or a key as reflex trace and reflex show print them, a record as @21, or an episode and a node of the graph as E554 notify.',
  },
  R2070: {
    title: 'This is not an archive of a run',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'An archive is JSON lines. The first line says that it is an archive and names its run. Nothing was stored.',
    often:
      'another JSONL file, such as the output of trace --jsonl; a file that another program has reformatted; a capture, which needs its program',
    fix: 'Name a file that reflex export has written. For a file of `export --format`, add `--against FILE` with its program.',
  },
  R2071: {
    title: 'An archive has a newer format',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'A later release wrote the archive or its records. This release cannot read them correctly. Nothing was stored.',
    fix: 'Import it with the release that wrote it, or a later one.',
  },
  R2072: {
    title: 'A record of an archive was changed',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'The hash of this record does not match: it is not the record that was exported. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2073: {
    title: 'A record of an archive is missing',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'The records of a run are numbered without gaps, but one is missing here. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2074: {
    title: 'The records of an archive are in the wrong order',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'A record comes before an earlier one, or occurs a second time. Nothing was stored.',
    often: 'a file that was sorted',
    fix: 'Copy the archive again from its source.',
  },
  R2075: {
    title: 'An archive ends too early',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'The last line of an archive counts its records. It is missing or incomplete. Nothing was stored.',
    often: 'an interrupted export or copy',
    fix: 'Copy the archive again, or export the run again.',
  },
  R2076: {
    title: 'An archive holds more than its run',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'There is a line behind the last one, or a line with a program or a value that no later record needs. Nothing was stored.',
    often: 'two archives in one file',
    fix: 'Import one archive at a time, as it was written.',
  },
  R2077: {
    title: 'A program of an archive is not the one that its hash names',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'A run continues with the programs that it was started with. Their hashes name them. This program was changed. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2078: {
    title: 'A program of an archive is missing',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'A record uses a program that no line before it holds. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2079: {
    title: 'A large value of an archive is not the one that its hash names',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'Large values are in separate lines, under their hashes. This value was changed, or a part of it is missing. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2080: {
    title: 'A large value of an archive is missing',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'A record names a value that no line before it holds. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2081: {
    title: 'A line of an archive was changed',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'The hash of this line does not match: the first line, a message or the last line was changed, or an earlier line was moved or removed. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2082: {
    title: 'An archive is not signed',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'A secret was given to check the signature, but the archive has no signature: anybody can have written it. Nothing was stored.',
    fix: 'Export the run with --sign-secret-file, or leave out --secret-file if you trust the source of the archive.',
  },
  R2083: {
    title: 'The signature of an archive is wrong',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'It was signed with another secret, or changed by somebody who does not have the secret. Nothing was stored.',
    fix: 'Give the secret that signed the archive, or copy the archive again.',
  },
  R2084: {
    title: 'The records of an archive do not form a run',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'Every line is as it was written, but a record cannot follow the records before it, or belongs to another run. Nothing was stored.',
    often: 'an archive that another program made',
    fix: 'Export the run again.',
  },
  R2085: {
    title: 'A run cannot be archived',
    verdict: 'fail',
    when: 'when a run is exported',
    means:
      'One of its programs is not in the store, because it holds functions, which cannot be stored as data. No other store could continue the run.',
    fix: 'Give the functions of the program a name and a version, and start the run with a store.',
  },
  R2086: {
    title: 'Telemetry cannot be sent',
    verdict: 'fail',
    when: 'when a run is observed',
    means:
      'Spans and metrics are sent through the package @opentelemetry/api. It is not installed or cannot be loaded, or a provider failed. The run continues without telemetry.',
    fix: 'npm install @opentelemetry/api',
  },
  R2087: {
    title: 'Parquet files need a package',
    verdict: 'fail',
    when: 'when a store is exported',
    means: 'Parquet is written by the package hyparquet-writer, which is not installed or cannot be loaded. Nothing was written.',
    fix: 'npm install hyparquet-writer, or export with --format jsonl',
  },
  R2088: {
    title: 'A secret is empty',
    verdict: 'fail',
    when: 'when a run is exported or imported',
    means: 'An empty secret protects nothing: anybody can make the same signature. Nothing was done.',
    often: 'an environment variable that is not set',
    fix: 'Give a long random text, or leave the secret out.',
  },
  R2140: {
    title: 'There is no such sealed segment to export',
    verdict: 'fail',
    when: 'when a part of a run is exported or forgotten',
    means:
      'A part of a run ends with a sealed segment: the records of an open one still change. Only runs that never end are sealed, each time after thousands of records.',
    fix: 'Choose a sealed segment that reflex show lists, or export the whole run.',
  },
  R2141: {
    title: 'The line of a segment in an archive was changed',
    verdict: 'fail',
    when: 'when an archive is imported',
    means: 'The hash of this line does not match, or it is not a line that an export writes. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2142: {
    title: 'A segment of an archive is missing',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'The segments of a run are numbered without gaps, and each begins where the one before it ends. Here one is missing, comes twice, has no records or stands at another place. Nothing was stored.',
    fix: 'Copy the archive again from its source.',
  },
  R2143: {
    title: 'The state that opens an archive is not one of its run',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'An archive without the first records of its run begins with the state after them. This state does not have the form of one, belongs to another run or to another record. Nothing was stored.',
    often: 'an archive that another program made',
    fix: 'Export the run again.',
  },
  R2144: {
    title: 'The archive does not have the records that would be removed',
    verdict: 'fail',
    when: 'when segments of a run are forgotten',
    means:
      'Records are removed from the store only if an archive has exactly these records. This archive was changed, is incomplete, or is one of another part. Nothing was removed.',
    often: 'an archive of the whole run, an archive with fewer segments, an interrupted copy',
    fix: 'Export the part again, to a new file: reflex export RUN --through SEGMENT --forget -o FILE',
  },
  R2145: {
    title: 'The run has no record in the store that can be exported',
    verdict: 'fail',
    when: 'when a run is exported',
    means: 'All its records so far are in archives, and none was added since.',
    fix: 'Use the archive that the message names, or export the run after its next record.',
  },
  R2146: {
    title: 'The state of a run in an archive is too large',
    verdict: 'fail',
    when: 'when an archive is imported',
    means:
      'The values on the boards of the run have more than 100 million characters together. A run with sealed segments is stored with its state after each of them. Nothing was stored.',
    often: 'an archive that another program made',
    fix: 'Import a part of the run that ends before these values were written.',
  },
})
