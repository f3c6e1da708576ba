import { Option } from 'commander'

/** The option of commands that read a contract, for files that are not in its folder. */
export function outsideFilesOption(): Option {
  return new Option('--outside-files', 'read files outside the folder of the contract')
}
